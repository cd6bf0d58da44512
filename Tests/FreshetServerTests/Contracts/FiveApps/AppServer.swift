// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetContract
import FreshetEngine
import FreshetTesting
import HTTPTypes
import IdentityFixtures
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

/// An answer, whoever gave it.
struct AppResponse {
    var status: Int
    var headers: [String: String]
    var body: Data

    func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// The text at a place of the body.
    subscript(pointer: String) -> String? {
        guard let value = try? JSONParser.parse(body) else { return nil }
        return JSONPointer(pointer)?.value(in: value)?.text
    }
}

/// A request as an app's client writes it.
struct AppRequest {
    var method = "POST"
    var path: String
    var body: String?
    var contentType = "application/json"
    var bearer: String?
}

/// The backend of an app: the fake one, or our server that serves the app's contract.
struct AppServer: Sendable {
    let app: AppBackend.App
    let send: @Sendable (AppRequest) async throws -> AppResponse
    /// The code that was mailed last.
    let code: @Sendable () throws -> String
    let identityToken: @Sendable (String) async throws -> String
    let advance: @Sendable (Duration) -> Void

    /// The fake backend, with its settings where our served contract says more than the app's own backend does.
    static func fake(_ app: AppBackend.App, _ apple: AppleUnderTest) -> AppServer {
        let clock = TestClock()
        let backend = AppBackend(app, clock: clock)
        backend.settings.casing = .both
        backend.settings.hasLogout = true
        return AppServer(
            app: app,
            send: { request in
                var fake = BackendRequest(request.method, request.path, body: Data((request.body ?? "").utf8))
                fake.headers["Content-Type"] = request.contentType
                fake.bearer = request.bearer
                guard case .answer(let answer) = backend.respond(to: fake) else { throw URLError(.badServerResponse) }
                let fields = answer.headers.fields.map { ($0.key.lowercased(), $0.value) }
                return AppResponse(
                    status: answer.status,
                    headers: Dictionary(fields) { first, _ in first },
                    body: answer.body
                )
            },
            code: { AppBackend.emailCode },
            identityToken: { try await apple.identityToken(of: $0) },
            advance: { clock.advance(by: $0) }
        )
    }

    /// Our server with the app's preset, at the root.
    static func serving(
        _ app: AppBackend.App,
        _ apple: AppleUnderTest,
        _ body: @Sendable (AppServer, TestHTTPClient) async throws -> Void
    ) async throws {
        let server = ServerUnderTest()
        var configuration = server.configuration(try ServedContract(preset: app.rawValue))
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let keys = server.folder.appending(path: "apple.json")
        try apple.publish(to: keys)
        configuration.appleKeys = keys
        configuration.appleAudiences = [AppleUnderTest.app]
        try await server.run(configuration) { caller async throws in
            let served = AppServer(
                app: app,
                send: { request in
                    let answer = try await caller.send(
                        try #require(HTTPRequest.Method(request.method)),
                        request.path,
                        request.body,
                        bearer: request.bearer,
                        headers: [.contentType: request.contentType]
                    )
                    let fields = answer.headers.map { ($0.name.canonicalName, $0.value) }
                    return AppResponse(
                        status: answer.status,
                        headers: Dictionary(fields) { first, _ in first },
                        body: answer.body
                    )
                },
                code: { try #require(caller.log.lines.last { $0["code"] != nil }?["code"]) },
                identityToken: { try await apple.identityToken(of: $0) },
                advance: { server.advance(by: $0) }
            )
            try await body(served, caller)
        }
    }

    func get(_ path: String, bearer: String? = nil) async throws -> AppResponse {
        try await send(AppRequest(method: "GET", path: path, bearer: bearer))
    }

    func post(_ path: String, _ json: String?, bearer: String? = nil) async throws -> AppResponse {
        try await send(AppRequest(path: path, body: json, bearer: bearer))
    }
}

extension ServedContract {
    /// A contract that comes with the SDK.
    init(preset name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/Client/FreshetKit/Contract/presets/\(name).json")
        try self.init(text: try String(contentsOf: file, encoding: .utf8))
    }
}

extension AppleUnderTest {
    /// A token of the person with that address.
    func identityToken(of email: String) async throws -> String {
        var claims = Claims()
        claims.sub = "001.\(email)"
        claims.email = email
        claims.emailVerified = .bool(true)
        return try await token(claims)
    }
}
