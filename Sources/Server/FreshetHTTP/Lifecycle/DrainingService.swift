// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import Logging
import NIOCore
import NIOPosix
package import ServiceLifecycle

/// Runs a server, and limits the duration of its shutdown: after the drain time, all connections are closed, and
/// operations that wait without end fail.
///
/// A graceful shutdown alone waits for requests in progress, even those of clients that send no body or read no
/// response.
package struct DrainingService: Service {
    let server: any Service
    let open: OpenConnections
    let drain: Duration
    let log: Logger
    /// Fails operations that wait without end; called after the drain time.
    let failWaits: @Sendable () -> Void

    package init(
        server: any Service,
        open: OpenConnections,
        drain: Duration,
        log: Logger,
        failWaits: @escaping @Sendable () -> Void
    ) {
        self.server = server
        self.open = open
        self.drain = drain
        self.log = log
        self.failWaits = failWaits
    }

    package func run() async throws {
        try await withGracefulShutdownHandler {
            do { try await server.run() } catch {
                // The requests that another service's failure interrupted are waited for as well.
                limitShutdown()
                throw error
            }
        } onGracefulShutdown: {
            log.notice(
                "stopping",
                metadata: [
                    "connections": .stringConvertible(open.count),
                    "drain_seconds": .stringConvertible(drain.wholeSeconds),
                ]
            )
            limitShutdown()
        }
    }

    private func limitShutdown() {
        MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .milliseconds(drain.milliseconds)) {
            let closed = open.closeAll()
            failWaits()
            guard closed > 0 else { return }
            log.warning(
                "the drain time is over; connections were closed that their peers kept open",
                metadata: ["connections": .stringConvertible(closed)]
            )
        }
    }
}
