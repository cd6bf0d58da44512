// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetEngine
    import FreshetHTTP
    import FreshetIdentity
    import FreshetServer
    import HTTPTypes
    import Hummingbird
    import Logging
    import NIOCore
    import NIOEmbedded
    import ServiceLifecycle

    /// A running server: its real components and routes, without listeners.
    final class ServerProcess: @unchecked Sendable {
        private let core: ServerCore
        let database: any ServerProcessDatabase
        private let log: Logger
        private let channel = EmbeddedChannel()
        /// The connection of clients in another network.
        private let otherChannel = EmbeddedChannel()
        /// The connections by which requests enter; `nil` if they enter at the router.
        private let connections: ConnectionPool?
        /// Further connections, on which clients open WebSockets.
        private let listener: SimulatedListener
        private var services: [Task<Void, any Error>] = []
        private let poller: RevocationPoller?
        private(set) var isKilled = false

        init(
            _ setup: ServerSetup,
            _ database: any ServerProcessDatabase,
            clock: ClockSource
        ) throws {
            var log = setup.mailbox.log
            // Hummingbird's responder expects the ID that its server gives each request.
            log[metadataKey: "hb.request.id"] = "request"
            self.log = log
            self.database = database
            let address = try SocketAddress(ipAddress: "203.0.113.7", port: 40_000)
            channel.remoteAddress = address
            otherChannel.remoteAddress = try SocketAddress(ipAddress: "198.51.100.9", port: 40_000)
            var environment = Self.environment(database)
            if !setup.observers.isEmpty {
                environment.sessionObserver = { [observers = setup.observers] in
                    for observer in observers { observer($0) }
                }
            }
            nonisolated(unsafe) var poller: RevocationPoller?
            environment.runsService = { service in
                if let service = service as? RevocationPoller { poller = service }
                return setup.runsService(service)
            }
            let core = try ServerCore(setup.configuration, log: log, clock: clock, environment: environment)
            self.core = core
            let services = core.maintenance
            self.poller = poller
            listener = SimulatedListener(core, from: address, log: log)
            connections = setup.connections.map { [listener] in ConnectionPool($0, to: listener) }
            self.services = services.map { service in Task { try await service.run() } }
            (database as? SimulatedDatabase)?.onFailedFlush { [weak self] in self?.scanSoon() }
        }

        /// Lets the server search for ended sessions after a second, and once the next search covers the whole window; a scan
        /// each second would be most of the steps of a history.
        func scanSoon() {
            for delay in [.seconds(1), .seconds(1) + RevocationScanPolicy.fullScanInterval] { scan(after: delay) }
        }

        private func scan(after delay: Duration) {
            SimulationExecutor.shared.schedule(after: delay) { [weak self] in
                guard let self, !isKilled else { return }
                Task { do { try await self.poller?.scan() } catch { self.scan(after: .seconds(1)) } }
            }
        }

        deinit {
            // A channel and its pipeline keep each other until it is closed.
            for channel in [channel, otherChannel] { _ = try? channel.finish(acceptAlreadyClosed: true) }
        }

        /// The header field of a request that comes from another network.
        static let otherNetworkField = "X-Other-Network"

        static let (issuer, audience) = ("https://api.example.com", "api")

        static func configuration(_ folder: URL, hasProductionLimits: Bool = false) -> ServerConfiguration {
            var configuration = ServerConfiguration(dataDirectory: folder)
            configuration.issuer = issuer
            configuration.audience = audience
            configuration.passwords.logN = 4
            configuration.operations.hasFastPath = false
            // Pings take most of the steps of a history with WebSockets.
            configuration.sockets.pingInterval = .seconds(120)
            configuration.sockets.silenceTimeout = .seconds(240)
            guard !hasProductionLimits else { return configuration }
            // Users of a history sign in more often than a device does on a day.
            for limit in [\SignInRateLimits.codesFromNetwork, \.codesFromUnknownOrigins, \.codesFromKnownNetwork] {
                configuration.signIn.limits[keyPath: limit].capacity = 1000
            }
            for limit in [\SignInRateLimits.codesFromKnownNetworks, \.codesOnDevice, \.codesOnDevices] {
                configuration.signIn.limits[keyPath: limit].capacity = 1000
            }
            return configuration
        }

        static func environment(_ database: any ServerProcessDatabase) -> ServerEnvironment {
            var environment = ServerEnvironment()
            environment.openDatabase = { _, _, _ in database }
            environment.executor = BlockingExecutor { work in
                SimulationExecutor.shared.schedule(after: .milliseconds(20)) { work(true) }
            }
            environment.rateLimiterCapacity = 64
            environment.clockInterval = .seconds(60)
            return environment
        }

        /// The keys, for commands of an operator; `nil` if they do not change.
        var keys: KeyAdministration? {
            core.maintenance.lazy.compactMap { $0 as? KeyReloader }.first?.administration
        }

        /// Ends the process between two steps; requests in progress fail.
        func kill() {
            isKilled = true
            for service in services { service.cancel() }
            connections?.kill()
            listener.kill()
            database.kill()
        }

        /// Opens a connection.
        func openChannel() -> SimulatedChannel { listener.open {} }

        /// Answers a request.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - bodyDelay: The time after the head at which the body arrives.
        ///   - bodyArrived: Called when the server has received the whole request.
        /// - Returns: The response.
        /// - Throws: `ProcessEnded` if the process is killed before it has answered.
        func respond(
            to request: URLRequest,
            bodyDelay: Duration,
            bodyArrived: @escaping () -> Void
        ) async throws -> (Data, HTTPURLResponse) {
            guard let url = request.url, !isKilled else { throw ProcessEnded() }
            if let connections {
                return try await connections.respond(to: request, bodyDelay: bodyDelay, bodyArrived: bodyArrived)
            }
            let bytes = request.httpBody ?? Data()
            let head = Self.head(request, url, length: bytes.count)
            let body: RequestBody
            if bytes.isEmpty || bodyDelay == .zero {
                bodyArrived()
                body = RequestBody(buffer: ByteBuffer(bytes: bytes))
            } else {
                let (stream, source) = RequestBody.makeStream()
                nonisolated(unsafe) let bodyArrived = bodyArrived
                SimulationExecutor.shared.schedule(after: bodyDelay) {
                    bodyArrived()
                    Task {
                        await source.yield(ByteBuffer(bytes: bytes))
                        source.finish()
                    }
                }
                body = stream
            }
            let isElsewhere = request.value(forHTTPHeaderField: Self.otherNetworkField) != nil
            let context = ServerRequestContext(
                source: .init(channel: isElsewhere ? otherChannel : channel, logger: log)
            )
            let response = try await core.responder.respond(to: Request(head: head, body: body), context: context)
            let writer = BodyCollector()
            try await response.body.write(writer)
            if isKilled { throw ProcessEnded() }
            return try Self.reply(response, Data(writer.bytes.buffer.readableBytesView), url)
        }

        private static func head(_ request: URLRequest, _ url: URL, length: Int) -> HTTPRequest {
            var fields = HTTPFields()
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            if length > 0 { fields[.contentLength] = "\(length)" }
            let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
            return HTTPRequest(
                method: HTTPRequest.Method(request.httpMethod ?? "GET") ?? .get,
                scheme: "https",
                authority: "api.example.com",
                path: url.path(percentEncoded: true) + query,
                headerFields: fields
            )
        }

        private static func reply(_ response: Response, _ body: Data, _ url: URL) throws -> (Data, HTTPURLResponse) {
            var fields: [String: String] = [:]
            for field in response.headers { fields[field.name.rawName] = field.value }
            let head = HTTPURLResponse(
                url: url,
                statusCode: response.status.code,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
            guard let head else { throw URLError(.badServerResponse) }
            return (body, head)
        }
    }

    /// Collects the body of a response.
    private struct BodyCollector: ResponseBodyWriter {
        final class Bytes {
            var buffer = ByteBuffer()
        }

        let bytes = Bytes()

        mutating func write(_ buffer: ByteBuffer) async throws {
            var buffer = buffer
            bytes.buffer.writeBuffer(&buffer)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
#endif
