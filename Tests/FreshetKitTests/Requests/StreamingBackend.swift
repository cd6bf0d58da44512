// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A backend over real sockets that grants tokens; what becomes of the app's requests is for the test to say.
///
/// Sessions start with the token `access-0`. Each refresh grants the next.
final class StreamingBackend: Sendable {
    typealias Head = LoopbackConnection.Head

    let server: LoopbackServer
    /// The events that the test has emitted.
    let events: AsyncStream<String>
    private let log: AsyncStream<String>.Continuation
    private let refreshed = Locked(0)
    private let paths = Locked<[String]>([])

    /// - Parameter route: Does something about a request of the app whose body was not read yet, and tells whether the
    ///   connection may go on.
    /// - Throws: An error if there is no port.
    init(_ route: @escaping @Sendable (StreamingBackend, Head, LoopbackConnection) -> Bool) throws {
        (events, log) = AsyncStream.makeStream()
        let place = Locked<StreamingBackend?>(nil)
        server = try LoopbackServer { connection in
            while let head = connection.head(), let backend = place.withLock({ $0 }) {
                guard backend.answer(head, connection, route) else { return }
            }
        }
        place.withLock { $0 = self }
    }

    private func answer(
        _ head: Head,
        _ connection: LoopbackConnection,
        _ route: (StreamingBackend, Head, LoopbackConnection) -> Bool
    ) -> Bool {
        switch head.path {
        case "/v1/refresh":
            connection.skip(head.length)
            log.yield("refresh")
            let number = refreshed.withLock { refreshed in
                refreshed += 1
                return refreshed
            }
            let session = Fixtures.session?.description ?? ""
            return connection.send(
                Self.json(
                    """
                    {"access_token":"access-\(number)","token_type":"Bearer","expires_in":600,"session_id":"\(session)",\
                    "refresh_token":"\(Fixtures.refreshToken(UInt64(number)))","refresh_expires_in":2592000}
                    """
                )
            )
        case "/v1/confirm":
            connection.skip(head.length)
            return connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        default:
            paths.withLock { $0.append("\(head.path) \(head.token ?? "-")") }
            return route(self, head, connection)
        }
    }

    func emit(_ event: String) { log.yield(event) }

    /// Waits until something has happened, whatever else happened before.
    func until(_ event: String) async throws {
        for await seen in events where seen == event { return }
        throw CancellationError()
    }

    var refreshes: Int { refreshed.withLock { $0 } }
    /// The app's requests so far, as path and token.
    var requests: [String] { paths.withLock { $0 } }

    static func json(_ text: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    static let refusal = json(#"{"error":"invalid_token"}"#, status: "401 Unauthorized")
    static func head(length: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" }

    /// A session with `access-0`.
    func session() async throws -> AuthSession {
        let session = try AuthSession(baseURL: server.base, store: InMemoryStore())
        let tokens = TokenGrant(
            accessToken: "access-0",
            refreshToken: Fixtures.refreshToken(0),
            expiresIn: .seconds(600)
        )
        try await session.signIn(.tokens(tokens))
        return session
    }

    func request(_ path: String, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try server.base.appending(path: path))
        request.httpMethod = method
        return request
    }
}

/// A folder of a test's own that is gone when the test is over.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "freshet-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Makes a file.
    func file(_ name: String, _ data: Data) throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }

    /// Makes a file of zeros that takes no room.
    func file(_ name: String, size: UInt64) throws -> URL {
        let file = try file(name, Data())
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: size)
        try handle.close()
        return file
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
}
