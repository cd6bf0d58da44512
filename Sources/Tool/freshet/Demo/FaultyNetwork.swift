// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A TCP relay on loopback between client and server that drops, holds and records messages.
///
/// The SDK sends each refresh on a separate connection, so the relay recognises a refresh by the first line of a
/// connection, and can drop its response after the server has sent it, which is after the commit.
final class FaultyNetwork: Sendable {
    /// The handling of responses to refreshes.
    enum FaultMode: Equatable, Sendable {
        case passThrough
        /// Drops this many responses.
        case dropping(Int)
        /// Holds responses until the mode changes.
        case holding
    }

    /// The counters of the relay.
    ///
    /// They do not depend on reports of the client or the server.
    struct Counts: Equatable, Sendable {
        var connections = 0
        var refreshes = 0
        var answersLost = 0
    }

    /// An event of a refresh.
    enum Event: Equatable, Sendable {
        case answerLost
        case answerHeld
    }

    private struct State {
        var mode = FaultMode.passThrough
        var counts = Counts()
        /// The bytes of the relayed refreshes, oldest first.
        var recorded: [ByteBuffer] = []
        var held: [EventLoopPromise<Bool>] = []
        var watcher: AsyncStream<Event>.Continuation?

        /// Returns whether the next response is delivered in the current mode, which is not `holding`.
        mutating func arrives() -> Bool {
            guard case .dropping(let count) = mode, count > 0 else { return true }
            mode = .dropping(count - 1)
            counts.answersLost += 1
            return false
        }
    }

    private let state = NIOLockedValueBox(State())
    private let listener: any Channel
    private let upstream: Int

    private let recordsRefreshes: Bool

    /// Opens a relay to `upstream` on a free port.
    ///
    /// A relay that runs for hours must not record refreshes, whose bytes it would keep.
    static func open(to upstream: Int, recordsRefreshes: Bool = true) async throws -> FaultyNetwork {
        let box = Box()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    guard let network = box.network.withLockedValue({ $0 }) else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    try client.pipeline.syncOperations.addHandler(RelayClientHandler(network))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let network = FaultyNetwork(listener, upstream, recordsRefreshes)
        box.network.withLockedValue { $0 = network }
        return network
    }

    private final class Box: Sendable {
        let network = NIOLockedValueBox<FaultyNetwork?>(nil)
    }

    private init(_ listener: any Channel, _ upstream: Int, _ recordsRefreshes: Bool) {
        self.listener = listener
        self.upstream = upstream
        self.recordsRefreshes = recordsRefreshes
    }

    /// The events from now on, for one consumer; earlier streams finish.
    var events: AsyncStream<Event> {
        let (events, watcher) = AsyncStream.makeStream(of: Event.self)
        state.withLockedValue { state in
            state.watcher?.finish()
            state.watcher = watcher
        }
        return events
    }

    /// The port to which clients connect.
    var port: Int { listener.localAddress?.port ?? 0 }

    var counts: Counts { state.withLockedValue { $0.counts } }

    /// The relayed refresh requests, oldest first, as bytes on the wire.
    var recordedRefreshes: [ByteBuffer] { state.withLockedValue { $0.recorded } }

    /// Changes the mode, which also applies to held responses.
    func setFaultMode(_ mode: FaultMode) {
        let released = state.withLockedValue { state -> [(EventLoopPromise<Bool>, Bool)] in
            state.mode = mode
            guard mode != .holding else { return [] }
            defer { state.held = [] }
            return state.held.map { ($0, state.arrives()) }
        }
        for (promise, arrives) in released { promise.succeed(arrives) }
    }

    func close() async { try? await listener.close() }

    // MARK: - For the relay's handlers

    func connect(on loop: any EventLoop, _ handler: RelayServerHandler) -> EventLoopFuture<any Channel> {
        let bound = NIOLoopBound(handler, eventLoop: loop)
        return ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture { try server.pipeline.syncOperations.addHandler(bound.value) }
            }
            .connect(host: "127.0.0.1", port: upstream)
    }

    func connectionOpened() { state.withLockedValue { $0.counts.connections += 1 } }

    func refreshPassed(_ request: ByteBuffer) {
        state.withLockedValue { state in
            state.counts.refreshes += 1
            if recordsRefreshes { state.recorded.append(request) }
        }
    }

    /// Decides whether and when a complete response to a refresh is delivered.
    func shouldDeliverResponse(on loop: any EventLoop) -> EventLoopFuture<Bool> {
        let promise = loop.makePromise(of: Bool.self)
        let arrives = state.withLockedValue { state -> Bool? in
            guard state.mode != .holding else {
                state.held.append(promise)
                state.watcher?.yield(.answerHeld)
                return nil
            }
            let arrives = state.arrives()
            if !arrives { state.watcher?.yield(.answerLost) }
            return arrives
        }
        if let arrives { promise.succeed(arrives) }
        return promise.futureResult
    }
}
