// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@Suite(
    .enabled(if: RealBackend.areWanted, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `Real backends that fail` {
    @Test(arguments: BackendKind.allCases)
    func `a malformed token response does not end the session, and the next refresh succeeds`(kind: BackendKind)
        async throws
    {
        try await RealBackend.run(kind, ["--garbage", "1"]) { backend in
            let transport = RecordingTransport()
            let session = try await backend.signedIn(transport: transport)
            await transport.forget()
            #expect(await session.refreshFault?.isInvalidResponse == true)
            #expect(session.state.isSignedIn)
            #expect(try await session.status(of: backend.resource) == 200)
            #expect(await session.refreshFault == nil)
            #expect(await transport.exchanges == [200, 200])
        }
    }

    @Test(arguments: BackendKind.allCases)
    func
        `a lost refresh response ends the session only if the old token is revoked immediately`(
            kind: BackendKind
        ) async throws
    {
        let backend = try await RealBackend.shared(kind)
        let transport = RecordingTransport()
        let session = try await backend.signedIn(transport: transport)
        await transport.forget()
        await transport.loseNextExchange()
        let fault = await session.refreshFault
        // These backends have no grace: the only token that the session has was used up by the lost answer.
        switch kind {
        case .simpleJWT, .flaskJWTExtended, .cognito:
            #expect(fault == nil)
            #expect(await transport.exchanges == [200, 200])
            #expect(session.state == .active)
        case .rotatingSimpleJWT:
            #expect(fault == .signedOut(.revoked))
            #expect(await transport.exchanges == [200, 401])
        case .djangoOAuthToolkit:
            #expect(fault == .signedOut(.unspecified))
            #expect(await transport.exchanges == [200, 400])
        case .fastAPI:
            #expect(fault == .signedOut(.unspecified))
            #expect(await transport.exchanges == [200, 401])
        }
    }

    @Test func `a session can refresh after a lost response within the backend's grace period`() async throws {
        try await RealBackend.run(.djangoOAuthToolkit, ["--grace-seconds", "60"]) { backend in
            let transport = RecordingTransport()
            let session = try await backend.signedIn(transport: transport)
            await transport.forget()
            await transport.loseNextExchange()
            #expect(await session.refreshFault == nil)
            #expect(await transport.exchanges == [200, 200])
            #expect(try await session.status(of: backend.resource) == 200)
            #expect(await session.refreshFault == nil)
        }
    }

    @Test(arguments: BackendKind.allCases)
    func `a user stays signed in while the backend is killed and restarted`(kind: BackendKind) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-backend-\(UUID())")
        let state = folder.appending(path: "state")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let arguments = ["--state", state.path]
        let store = FileStore(directory: folder.appending(path: "store"), name: "app")

        let first = try await RealBackend.start(kind, arguments)
        let session = try await first.signedIn(store: store)
        let id = session.status.sessionID
        await first.kill()
        #expect(await session.refreshFault?.isOffline == true)
        // On a slow machine the last attempt may still be under way when the caller's patience ends.
        #expect(session.state.isSignedIn)
        // The app is started again meanwhile.
        let next = try first.session(store: store)
        #expect(next.state.isSignedIn)
        #expect(await next.refreshFault?.isOffline == true)

        let port = try #require(first.facts.baseURL.port)
        let second = try await RealBackend.start(kind, arguments + ["--port", "\(port)"])
        #expect(second.facts.baseURL == first.facts.baseURL)
        if kind == .cognito {
            // Moto keeps its pools in memory: the client is unknown now, and that is never a sign-out.
            #expect(await next.refreshFault?.isInvalidResponse == true)
            #expect(next.state.isSignedIn)
        } else {
            // On a slow machine a backend that has just started may answer after its caller has given up.
            var fault = await next.refreshFault
            while fault?.isOffline == true { fault = await next.refreshFault }
            #expect(fault == nil)
            #expect(try await next.status(of: second.resource) == 200)
            #expect(next.state == .active)
        }
        #expect(next.status.sessionID == id)
        await second.end()
    }

    @Test(arguments: [BackendKind.djangoOAuthToolkit, .cognito])
    func `an unregistered client id causes an invalid-response error and no sign-out`(kind: BackendKind) async throws {
        let backend = try await RealBackend.shared(kind)
        let tokens = try await backend.tokens()
        let session = try backend.session(values: ["client_id": "nobody"])
        try await session.signIn(
            .tokens(TokenGrant(accessToken: tokens.access, refreshToken: tokens.refresh))
        )
        #expect(await session.refreshFault?.isInvalidResponse == true)
        #expect(session.state.isSignedIn)
        #expect(try await session.status(of: backend.resource) == 200)
    }
}
