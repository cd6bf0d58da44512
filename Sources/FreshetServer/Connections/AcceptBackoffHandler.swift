// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Logging
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Pauses a listener while the system has no descriptor for another connection, and says so in the log.
///
/// NIO's own handler of that name delays the next read, but a listener whose accept failed stays registered for reading, so epoll
/// reports it again at once: two thirds of a core. Without automatic reading it is not registered.
final class AcceptBackoffHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    private let open: OpenConnections
    private let metrics: ServerMetrics
    private let log: Logger
    private var machine = AcceptBackoffStateMachine()

    init(open: OpenConnections, metrics: ServerMetrics, log: Logger) {
        self.open = open
        self.metrics = metrics
        self.log = log
    }

    /// Adds it to a listener, before NIO's own.
    static func add(to listener: any Channel, open: OpenConnections, metrics: ServerMetrics, log: Logger) async {
        try? await listener.eventLoop.submit {
            let handler = AcceptBackoffHandler(open: open, metrics: metrics, log: log)
            try listener.pipeline.syncOperations.addHandler(handler, position: .first)
        }.get()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else {
            return context.fireErrorCaught(error)
        }
        metrics.count("freshet_accept_failures_total")
        let failure = machine.acceptFailed(at: context.eventLoop.now)
        if failure.isLogged {
            log.error(
                "no connection can be accepted: raise the limit of open files (LimitNOFILE, ulimit -n) or lower max-connections",
                metadata: ["error": "\(error)", "connections": .stringConvertible(open.count)]
            )
        }
        guard let retryAt = failure.retryAt else { return }
        setAutoRead(false, context)
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: retryAt) {
            let (handler, context) = loopBound.value
            if handler.machine.pauseEnded(at: context.eventLoop.now) { handler.setAutoRead(true, context) }
        }
        let eventLoop = context.eventLoop
        open.onNextClose {
            eventLoop.execute {
                let (handler, context) = loopBound.value
                if handler.machine.connectionClosed() { handler.setAutoRead(true, context) }
            }
        }
    }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}
