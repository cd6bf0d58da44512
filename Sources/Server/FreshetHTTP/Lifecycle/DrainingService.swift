// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import Logging
import NIOCore
import NIOPosix
package import ServiceLifecycle

/// Runs a server, and limits the duration of its shutdown by closing all connections after the drain time.
///
/// A graceful shutdown alone waits for requests in progress, even those of clients that send no body or read no
/// response.
package struct DrainingService: Service {
    let server: any Service
    let open: OpenConnections
    let drain: Duration
    let log: Logger

    package init(server: any Service, open: OpenConnections, drain: Duration, log: Logger) {
        self.server = server
        self.open = open
        self.drain = drain
        self.log = log
    }

    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            log.notice(
                "stopping",
                metadata: [
                    "connections": .stringConvertible(open.count),
                    "drain_seconds": .stringConvertible(drain.wholeSeconds),
                ]
            )
            MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .milliseconds(drain.milliseconds)) {
                let closed = open.closeAll()
                guard closed > 0 else { return }
                log.warning(
                    "the drain time is over; connections were closed that their peers kept open",
                    metadata: ["connections": .stringConvertible(closed)]
                )
            }
        }
    }
}
