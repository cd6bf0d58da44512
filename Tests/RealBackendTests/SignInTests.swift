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
struct `Sign-in and sign-out with real backends` {
    @Test(arguments: BackendKind.allCases)
    func `a wrong password is refused with the backend's own message`(kind: BackendKind) async throws {
        let backend = try await RealBackend.shared(kind)
        let session = try backend.session()
        let fault = await session.signInFault(backend.facts.user, "wrong")
        let (code, message) =
            switch kind {
            case .simpleJWT, .rotatingSimpleJWT:
                ("status_401", "No active account found with the given credentials")
            case .djangoOAuthToolkit: ("invalid_grant", "Invalid credentials given.")
            case .flaskJWTExtended: ("status_401", "Bad username or password")
            case .fastAPI: ("status_401", "Incorrect username or password")
            case .cognito: ("NotAuthorizedException", "Incorrect username or password.")
            }
        #expect(fault == .refused(code: code, message: message))
        #expect(!session.state.isSignedIn)
        #expect(await session.signInFault(backend.facts.user, backend.facts.password) == nil)
        #expect(session.state == .active)
    }

    @Test(arguments: BackendKind.allCases)
    func `a sign-out is sent to backends that have an endpoint for it`(kind: BackendKind) async throws {
        let backend = try await RealBackend.shared(kind)
        let tokens = try await backend.tokens()
        let transport = RecordingTransport()
        let session = try await backend.holding(tokens, transport: transport)
        try await session.signOut()
        #expect(!session.state.isSignedIn)
        let told = await transport.exchanges
        // Moto has no such operation and fails: the sign-out is owed, and told again later.
        #expect(session.status.hasPendingLogout == (kind == .cognito))
        let afterwards = try await backend.refresh(tokens.refresh).status
        switch kind {
        // Its block list is an app of its own, without which the address does not exist.
        case .simpleJWT: #expect((told, afterwards) == ([404], 200))
        case .rotatingSimpleJWT, .flaskJWTExtended: #expect((told, afterwards) == ([200], 401))
        case .djangoOAuthToolkit: #expect((told, afterwards) == ([200], 400))
        case .fastAPI: #expect((told, afterwards) == ([], 200))
        case .cognito: #expect((told.first, afterwards) == (500, 200))
        }
    }
}
