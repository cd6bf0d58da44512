// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An outbox whose requests the test answers, and a backend that answers about tokens by itself.
final class OutboxFixture: @unchecked Sendable {
    /// Hands requests of the app to the test, and those about tokens to the backend.
    struct Transport: HTTPTransport {
        let backend: TestBackend
        let manual: ManualTransport

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            try await manual.data(for: request)
        }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            try await backend.exchange(request, deadline: deadline)
        }
    }

    static let ada = SignInCredentials.test
    static let bob = SignInCredentials.password(email: "bob@example.com", password: "secret")

    let bench = SessionFixture()
    let store = UnreliableStore()
    let transport = ManualTransport()
    let folder: Folder
    let session: AuthSession

    var clock: TestClock { bench.clock }

    init(isSignedIn: Bool = true) async throws {
        folder = try Folder()
        session = try bench.session(
            store: store,
            transport: Transport(backend: bench.backend, manual: transport)
        )
        if isSignedIn { try await session.signIn(Self.ada) }
    }

    func outbox(_ configuration: OutboxConfiguration = OutboxConfiguration()) throws -> RequestOutbox {
        try session.outbox(directory: folder.url, configuration: configuration)
    }

    /// A further session on the same store, as another process has.
    func sibling() throws -> AuthSession {
        try bench.session(store: store, transport: Transport(backend: bench.backend, manual: transport))
    }

    func request(_ body: String) throws -> URLRequest {
        var request = URLRequest(url: try Fixtures.url("https://api.example.com/notes"))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        return request
    }

    /// The next request that is sent, and that its body is this.
    @discardableResult
    func next(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> PendingRequest {
        let pending = try await transport.next()
        #expect(pending.body == body, sourceLocation: sourceLocation)
        return pending
    }

    /// Has the next request fail, whose body is this, and returns when the outbox knows.
    ///
    /// A flush would not do: one that comes behind the failure sends the item again.
    func fail(_ body: String, of outbox: RequestOutbox?, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        let events = try #require(outbox, sourceLocation: sourceLocation).events
        try await next(body, sourceLocation: sourceLocation).fail()
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
    }

    /// The files of all accounts' items.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/waiting/") }.map { String($0.split(separator: "/").last ?? "") }.sorted()
    }

    /// Every text that lies in the folder.
    var contents: String {
        let all = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        return (all?.compactMap { ($0 as? URL).flatMap { try? Data(contentsOf: $0) } } ?? [])
            .map { String(decoding: $0, as: UTF8.self) }.joined()
    }
}

extension PendingRequest {
    var body: String { String(decoding: request.httpBody ?? Data(), as: UTF8.self) }
    var key: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }
}

extension AsyncStream<OutboxEvent> {
    /// The next event of a kind; others are passed over.
    func next(_ isMeant: (OutboxEvent.Kind) -> Bool) async throws -> OutboxEvent {
        for await event in self where isMeant(event.kind) { return event }
        throw CancellationError()
    }

    /// The next event of exactly this kind.
    @discardableResult
    func next(_ kind: OutboxEvent.Kind) async throws -> OutboxEvent {
        try await next { $0 == kind }
    }
}
