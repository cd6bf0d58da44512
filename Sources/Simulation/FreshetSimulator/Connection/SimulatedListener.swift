// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetHTTP
    import FreshetServer
    import FreshetWire
    import Glibc
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore

    /// The listener of one process of a server: accepts connections, and handles them as the real one does.
    final class SimulatedListener: @unchecked Sendable {
        let eventLoop = SimulatedEventLoop()
        private let core: ServerCore
        private let address: SocketAddress
        private let log: Logger
        /// The open connections, by number.
        private var channels: [Int: SimulatedChannel] = [:]
        private var accepted = 0

        init(_ core: ServerCore, from address: SocketAddress, log: Logger) {
            self.core = core
            self.address = address
            self.log = log
        }

        /// Accepts a connection.
        ///
        /// - Parameter released: Called when the server has released it.
        /// - Returns: The server's end.
        func open(released: @escaping () -> Void) -> SimulatedChannel {
            let channel = SimulatedChannel(on: eventLoop, from: address)
            accepted += 1
            let number = accepted
            channels[number] = channel
            let (server, log) = (core.connection(respond), log)
            nonisolated(unsafe) let released = released
            eventLoop.execute { [self] in
                let value = server.setup(channel: channel, logger: log)
                channel.activate()
                Task {
                    if let value = try? await value.get() { await server.handle(value: value, logger: log) }
                    try? await channel.closeFuture.get()
                    channels[number] = nil
                    released()
                }
            }
            return channel
        }

        /// Resets all connections, as the end of the process does.
        func kill() {
            let open = channels.sorted { $0.key < $1.key }
            channels = [:]
            for (_, channel) in open { eventLoop.execute { channel.receiveReset() } }
        }

        /// Answers a request by the router, as Hummingbird's application does.
        @concurrent @Sendable
        private func respond(
            to request: Request,
            _ writer: consuming ResponseWriter,
            _ channel: any Channel
        ) async throws {
            let context = ServerRequestContext(source: .init(channel: channel, logger: log))
            var response = try await core.responder.respond(to: request, context: context)
            response.headers[.date] = HTTPDate.text(secondsSince1970: time(nil))
            try await writer.write(response: response.head, body: response.body)
        }
    }
#endif
