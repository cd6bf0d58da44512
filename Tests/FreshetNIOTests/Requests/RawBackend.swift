// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// A backend of raw sockets that grants the token `new`, and answers every other request as its test says.
final class RawBackend: Sendable {
    typealias Head = LoopbackConnection.Head

    private let listener: LoopbackListener
    private let log = Locked<[String]>([])

    /// - Parameters:
    ///   - refresh: Answers requests to the token endpoint.
    ///   - answer: Answers a request whose body was read, and returns whether the connection may go on.
    /// - Throws: An error if there is no port.
    init(
        refresh: @escaping @Sendable (LoopbackConnection) -> Bool = { $0.send(RawBackend.grant) },
        _ answer: @escaping @Sendable (Head, LoopbackConnection) -> Bool
    ) throws {
        listener = try LoopbackListener()
        listener.start { [log] handle in
            let connection = LoopbackConnection(handle: handle)
            while let head = connection.head() {
                connection.skip(head.length)
                let isRefresh = head.path.hasSuffix("/token") || head.path.hasSuffix("oauth.v2.access")
                log.withLock { $0.append(isRefresh ? "refresh" : head.token ?? "-") }
                guard isRefresh ? refresh(connection) : answer(head, connection) else { return }
            }
        }
    }

    /// Answers with `ok` to the token `new`, and with `refusal` to every other.
    convenience init(refusal: @escaping @Sendable (LoopbackConnection) -> Bool) throws {
        try self.init { head, connection in
            head.token == "new" ? connection.send(Self.ok) : refusal(connection)
        }
    }

    var base: URL { get throws { try listener.base } }
    /// The token of each request so far, and `refresh` for each request to the token endpoint.
    var seen: [String] { log.withLock { $0 } }

    func stop() { listener.stop() }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    static let grant: String = {
        let body = #"{"ok":true,"access_token":"new","token_type":"Bearer","expires_in":600,"refresh_token":"r2"}"#
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }()

    /// A session of this backend whose token is `old`.
    func session(_ contract: String = "oauth2", over transport: any HTTPTransport) async throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.contractValues = ["client_id": "app"]
        // Hundreds of these sessions share a busy machine.
        configuration.refreshPolicy.callerTimeout = .seconds(240)
        let session = try AuthSession(
            contract: .named(contract),
            baseURL: base,
            store: InMemoryStore(),
            configuration: configuration,
            transport: transport
        )
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "old", refreshToken: "r", expiresIn: .seconds(600)))
        )
        return session
    }
}
