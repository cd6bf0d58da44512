// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetNIO
import FreshetOutbox
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app that uses the SDK with its preset.
struct PresetApp: Sendable {
    /// Loses the answers to refreshes when it is told to, and records the user of each accepted call.
    private struct LosingTransport: HTTPTransport {
        let base = NIOTransport()
        let path: String
        let losses = Locked(0)
        let resource: String
        let senders = Locked<[String?]>([])

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let answer = try await base.data(for: request)
            if request.url?.path == resource, 200..<300 ~= answer.1.statusCode {
                let fields = request.value(forHTTPHeaderField: "Authorization")?.split(separator: " ") ?? []
                senders.withLock { $0.append(fields.last.flatMap { UnverifiedJWT(String($0))?.subject }) }
            }
            return answer
        }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            let answer = try await base.exchange(request, deadline: deadline)
            let isLost =
                request.url?.path == path
                && losses.withLock { count in
                    count -= 1
                    return count >= 0
                }
            if isLost { throw URLError(.networkConnectionLost) }
            return answer
        }
    }

    let place: AppDeployment
    let session: AuthSession
    private let store = InMemoryStore()
    private let transport: LosingTransport

    init(_ place: AppDeployment) throws {
        self.place = place
        transport = LosingTransport(path: place.app.refreshPath, resource: place.app.resource.path)
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff = RetryBackoff(first: .milliseconds(5), limit: .milliseconds(50))
        session = try AuthSession(
            contract: .named(place.app.rawValue),
            baseURL: place.base,
            store: store,
            configuration: configuration,
            transport: transport
        )
    }

    /// Runs a test of an app.
    static func run(
        _ app: FiveApp,
        _ kind: AppDeployment.Kind,
        _ body: (PresetApp) async throws -> Void
    ) async throws {
        try await AppDeployment.run(app, kind) { try await body(PresetApp($0)) }
    }

    /// How a user of this app signs in.
    func credentials(_ email: String = AppDeployment.people[0]) async throws -> SignInCredentials {
        switch place.app {
        case .authservice, .creatist, .outbox: return .password(email: email, password: AppDeployment.password)
        case .bitbasel: return .appleIdentityToken(try place.identities.token(subject: "001234.\(email)", email: email))
        case .melchat:
            let attempt = try await session.requestEmailCode(email: email)
            return .emailCode(attempt, code: try place.code(for: email))
        }
    }

    @discardableResult
    func signIn(_ email: String = AppDeployment.people[0]) async throws -> SignInResult {
        try await session.signIn(try await credentials(email))
    }

    /// The `sub` claim of the stored access token.
    var subject: String { get throws { try #require(UnverifiedJWT(tokens.access)?.subject) } }

    /// The `sub` claims with which calls to the app's resource were accepted, in order.
    var senders: [String?] { transport.senders.withLock { $0 } }

    /// An outbox in the server's folder, with short pauses.
    func outbox() throws -> RequestOutbox {
        var configuration = OutboxConfiguration()
        configuration.backoff = RetryBackoff(first: .milliseconds(5), limit: .milliseconds(50))
        let folder = place.server.folder.appending(path: "outbox")
        return try session.outbox(directory: folder, configuration: configuration)
    }

    /// A call of the app, put down in its outbox, finds that the session has ended.
    ///
    /// Ends the sessions at the server first.
    func enqueueAfterEnd(_ outbox: RequestOutbox) async throws {
        try await place.endSessions(of: tokens.access)
        try await outbox.enqueue(try request())
        await outbox.flush()
        guard case .signedOut(_?) = session.state else {
            Issue.record("the session goes on: \(session.state)")
            return
        }
    }

    /// Stores a profile of the user, as the app's own screen does.
    func saveProfile(_ path: String) async throws {
        var request = URLRequest(url: try place.base.appending(path: path))
        request.httpMethod = "PUT"
        request.httpBody = Data(#"{"username":"annie"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        #expect(try await session.data(for: request).1.statusCode == 200)
    }

    func request() throws -> URLRequest {
        var request = URLRequest(url: try place.base.appending(path: place.app.resource.path))
        request.httpMethod = place.app.resource.method
        if request.httpMethod == "POST" {
            request.httpBody = Data("{}".utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    func call() async throws -> Int { try await session.data(for: request()).1.statusCode }

    /// The tokens that are stored.
    var tokens: (access: String, refresh: String) {
        get throws {
            let stored = try #require(try store.read()?.session)
            return (stored.accessToken, try #require(stored.refreshToken))
        }
    }

    /// The access token is not accepted any more.
    func endAccessToken() async throws {
        switch place.kind {
        case .fake:
            #expect(try await place.server.send("POST", "/__backend/revoke", json: ["tokens": "access"]).status == 200)
        case .served:
            // The same session again, with an access token that the server signed and that has expired.
            let grant = TokenGrant(
                accessToken: try place.server.ended(tokens.access),
                refreshToken: try tokens.refresh,
                userID: session.status.userID
            )
            try await session.signIn(.tokens(grant))
        }
    }

    func loseRefreshAnswers(_ count: Int) { transport.losses.withLock { $0 = count } }
}
