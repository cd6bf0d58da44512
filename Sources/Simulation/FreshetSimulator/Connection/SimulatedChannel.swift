// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Glibc
    import NIOCore

    /// The server's end of a connection, as NIO's channel of a socket.
    ///
    /// Bytes are read when the pipeline asks for them; the end of the client's half, and a reset, without being asked.
    final class SimulatedChannel: Channel, ChannelCore, @unchecked Sendable {
        /// The events that the client's end sees.
        enum Output {
            case bytes(ByteBuffer)
            /// The server has closed its half.
            case end
            /// The server has closed the connection.
            case closed
        }

        let allocator = ByteBufferAllocator()
        let eventLoop: any EventLoop
        let remoteAddress: SocketAddress?
        let localAddress: SocketAddress? = nil
        let parent: (any Channel)? = nil
        let isWritable = true
        private(set) var isActive = false
        /// Called with the output of the server; unset at the end.
        var onOutput: ((Output) -> Void)?

        private let closePromise: EventLoopPromise<Void>
        private var pipelineStorage: ChannelPipeline?
        private var isOpen = true
        private var isAutoRead = true
        private var isInputClosed = false
        private var isOutputClosed = false
        private var wantsRead = false
        /// The bytes that have arrived and are not read.
        private var received = CircularBuffer<ByteBuffer>()
        private var hasInputEnded = false
        private var unflushed: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []

        init(on eventLoop: any EventLoop, from address: SocketAddress) {
            self.eventLoop = eventLoop
            remoteAddress = address
            closePromise = eventLoop.makePromise()
            pipelineStorage = ChannelPipeline(channel: self)
        }

        var pipeline: ChannelPipeline {
            guard let pipelineStorage else { fatalError("the channel has no pipeline") }
            return pipelineStorage
        }

        var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
        var _channelCore: any ChannelCore { self }

        // MARK: - Input

        /// Starts the channel, once its handlers are added.
        func activate() {
            guard isOpen else { return }
            isActive = true
            pipeline.syncOperations.fireChannelRegistered()
            pipeline.syncOperations.fireChannelActive()
            readAutomatically()
        }

        /// Receives bytes from the client.
        func receive(_ bytes: ByteBuffer) {
            guard isOpen, !isInputClosed, !hasInputEnded else { return }
            received.append(bytes)
            readReceived()
        }

        /// The client closes its half.
        func receiveEnd() {
            guard isOpen, !hasInputEnded else { return }
            hasInputEnded = true
            // Sockets read everything before the end.
            while isOpen, !received.isEmpty {
                wantsRead = true
                readReceived()
            }
            guard isOpen else { return }
            close0(error: ChannelError.eof, mode: .input, promise: nil)
        }

        /// The client resets the connection.
        func receiveReset() {
            guard isOpen else { return }
            received.removeAll()
            let error = IOError(errnoCode: ECONNRESET, reason: "read")
            pipeline.syncOperations.fireErrorCaught(error)
            close0(error: error, mode: .all, promise: nil)
        }

        private func readReceived() {
            while wantsRead, isOpen, !isInputClosed, let bytes = received.popFirst() {
                wantsRead = false
                pipeline.syncOperations.fireChannelRead(NIOAny(bytes))
                pipeline.syncOperations.fireChannelReadComplete()
                readAutomatically()
            }
        }

        private func readAutomatically() { if isAutoRead, isOpen { pipeline.syncOperations.read() } }

        func read0() {
            guard !wantsRead else { return }
            wantsRead = true
            guard !received.isEmpty else { return }
            eventLoop.assumeIsolated().execute { self.readReceived() }
        }

        // MARK: - Output

        func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard isOpen, !isOutputClosed else {
                promise?.fail(isOpen ? ChannelError.outputClosed : ChannelError.ioOnClosedChannel)
                return
            }
            unflushed.append((unwrapData(data, as: ByteBuffer.self), promise))
        }

        func flush0() {
            let flushed = unflushed
            unflushed = []
            for (bytes, promise) in flushed {
                if bytes.readableBytes > 0 { onOutput?(.bytes(bytes)) }
                promise?.succeed(())
            }
        }

        func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard isOpen else {
                promise?.fail(ChannelError.alreadyClosed)
                return
            }
            switch mode {
            case .output where !isOutputClosed && !isInputClosed:
                flush0()
                isOutputClosed = true
                onOutput?(.end)
                promise?.succeed(())
                pipeline.syncOperations.fireUserInboundEventTriggered(ChannelEvent.outputClosed)
            case .input where !isInputClosed && !isOutputClosed:
                isInputClosed = true
                promise?.succeed(())
                pipeline.syncOperations.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            case .output where isOutputClosed: promise?.fail(ChannelError.outputClosed)
            case .input where isInputClosed: promise?.fail(ChannelError.inputClosed)
            case .all, .input, .output: closeAll(error, promise)
            }
        }

        private func closeAll(_ error: any Error, _ promise: EventLoopPromise<Void>?) {
            let failed = unflushed
            unflushed = []
            let wasActive = isActive
            isOpen = false
            isActive = false
            for (_, promise) in failed { promise?.fail(error) }
            promise?.succeed(())
            onOutput?(.closed)
            onOutput = nil
            // The handlers that are on the stack see the channel's end after they return.
            eventLoop.assumeIsolated().execute { [self] in
                if wasActive { pipeline.syncOperations.fireChannelInactive() }
                pipeline.syncOperations.fireChannelUnregistered()
                eventLoop.assumeIsolated().execute { [self] in
                    removeHandlers(pipeline: pipeline)
                    closePromise.succeed(())
                }
            }
        }

        // MARK: - Options

        func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
            if option is ChannelOptions.Types.AutoReadOption, let isOn = value as? Bool { isAutoRead = isOn }
            return eventLoop.makeSucceededVoidFuture()
        }

        func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
            eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }

        // MARK: - Not used by a connected socket

        func localAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }
        func remoteAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }
        func register0(promise: EventLoopPromise<Void>?) { promise?.succeed(()) }
        func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed(()) }
        func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
            promise?.fail(ChannelError.operationUnsupported)
        }
        func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
            promise?.fail(ChannelError.operationUnsupported)
        }
        func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
            promise?.fail(ChannelError.operationUnsupported)
        }
        func channelRead0(_ data: NIOAny) {}
        func errorCaught0(error: any Error) {}
    }
#endif
