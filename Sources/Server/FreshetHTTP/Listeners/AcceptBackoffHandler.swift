// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetMetrics
package import Logging
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Pauses a listener while few or no descriptors are left, and logs failed accepts.
///
/// It pauses before the last descriptor is used: the threads of the Swift runtime open files, too, and libdispatch
/// terminates a process that cannot open `/proc/self/task` (`_dispatch_workq_monitor_pools`).
///
/// NIO's own handler of that name delays the next read, but a listener whose accept failed stays registered for
/// reading, so epoll reports it again at once, which costs two thirds of a core. With automatic reading disabled, it is
/// not registered.
package final class AcceptBackoffHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = Channel
    package typealias InboundOut = Channel

    private let open: OpenConnections
    private let metrics: ServerMetrics
    private let log: Logger
    private var machine = AcceptBackoffStateMachine()

    init(open: OpenConnections, metrics: ServerMetrics, log: Logger) {
        self.open = open
        self.metrics = metrics
        self.log = log
    }

    /// Adds the handler to a listener, before NIO's own.
    package static func add(to listener: any Channel, open: OpenConnections, metrics: ServerMetrics, log: Logger) async
    {
        try? await listener.eventLoop.submit {
            let handler = AcceptBackoffHandler(open: open, metrics: metrics, log: log)
            try listener.pipeline.syncOperations.addHandler(handler, position: .first)
            // NIO accepts this number of connections before it checks automatic reading again. It must be less than
            // half of the smallest reserve of descriptors (`DescriptorBudget`).
            try listener.syncOptions?.setOption(.maxMessagesPerRead, value: 4)
        }.get()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open.countDescriptor(of: unwrapInboundIn(data))
        context.fireChannelRead(data)
        pauseIfDescriptorsRunLow(context)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else {
            return context.fireErrorCaught(error)
        }
        fail("\(error)", context)
    }

    private var areDescriptorsLow: Bool { OpenFiles.areNearlyExhausted(known: open.descriptorsInUse) }

    private func fail(_ reason: String, _ context: ChannelHandlerContext) {
        metrics.count("freshet_accept_failures_total")
        let failure = machine.acceptFailed(at: context.eventLoop.now)
        if failure.isLogged {
            log.error(
                "no connection can be accepted: raise the limit of open files (LimitNOFILE, ulimit -n) or lower max-connections",
                metadata: ["error": "\(reason)", "connections": .stringConvertible(open.count)]
            )
        }
        pause(until: failure.retryAt, context)
    }

    private func pauseIfDescriptorsRunLow(_ context: ChannelHandlerContext) {
        guard areDescriptorsLow else { return }
        pause(until: machine.descriptorsRanLow(at: context.eventLoop.now), context)
    }

    private func pause(until retryAt: NIODeadline?, _ context: ChannelHandlerContext) {
        guard let retryAt else { return }
        log.debug("accepting is paused", metadata: ["descriptors": .stringConvertible(open.descriptorsInUse)])
        setAutoRead(false, context)
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: retryAt) {
            let (handler, context) = loopBound.value
            guard handler.machine.pauseEnded(at: context.eventLoop.now) else { return }
            // The listener stays paused, so that it does not use up the remaining descriptors one by one.
            if handler.areDescriptorsLow {
                handler.fail("few descriptors are left", context)
            } else {
                handler.setAutoRead(true, context)
            }
        }
        let eventLoop = context.eventLoop
        open.onNextClose {
            eventLoop.execute {
                let (handler, context) = loopBound.value
                guard handler.machine.connectionClosed() else { return }
                if handler.areDescriptorsLow {
                    handler.pauseIfDescriptorsRunLow(context)
                } else {
                    handler.setAutoRead(true, context)
                }
            }
        }
    }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}
