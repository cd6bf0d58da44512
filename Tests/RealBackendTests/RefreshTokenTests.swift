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
struct `Refresh tokens of real backends` {
    /// The reason that a session can infer from the backend's response to a revoked refresh token.
    private static func reasonWhenVoid(_ kind: BackendKind) -> SignOutReason {
        switch kind {
        case .rotatingSimpleJWT, .flaskJWTExtended, .cognito: .revoked
        // One answer for every fault of the token.
        case .simpleJWT, .djangoOAuthToolkit, .fastAPI: .unspecified
        }
    }

    @Test(arguments: BackendKind.allCases.filter { $0 != .cognito })
    func `an expired refresh token ends the session, with a reason if the backend reports one`(kind: BackendKind)
        async throws
    {
        // Over when it is handed out: nobody has to wait for its end. Django OAuth Toolkit counts from the access token's.
        let times =
            kind == .djangoOAuthToolkit
            ? ["--access-seconds", "-1", "--refresh-seconds", "1"] : ["--refresh-seconds", "-1"]
        let backend = try await RealBackend.shared(kind, times)
        let session = try await backend.signedIn()
        let reason: SignOutReason =
            switch kind {
            case .simpleJWT, .rotatingSimpleJWT, .flaskJWTExtended: .expired
            case .djangoOAuthToolkit, .fastAPI, .cognito: .unspecified
            }
        #expect(await session.refreshFault == .signedOut(reason))
        #expect(session.state == .signedOut(reason))
    }

    @Test(arguments: BackendKind.allCases)
    func `a malformed refresh token ends the session at the first refresh, and not before`(
        kind: BackendKind
    ) async throws {
        let backend = try await RealBackend.shared(kind)
        let access = try await backend.tokens().access
        let session = try await backend.holding(Tokens(access: access, refresh: "garbage"))
        #expect(try await session.status(of: backend.resource) == 200)
        // Moto has the words of a revoked token for every token that it does not know.
        #expect(await session.refreshFault == .signedOut(kind == .cognito ? .revoked : .unspecified))
    }

    @Test(arguments: [
        BackendKind.rotatingSimpleJWT, .djangoOAuthToolkit, .flaskJWTExtended, .cognito,
    ])
    func `a refresh token that was revoked elsewhere ends the session`(kind: BackendKind) async throws {
        // Alone, for a sign-out may be everybody's.
        try await RealBackend.run(kind) { backend in
            let tokens = try await backend.tokens()
            let session = try await backend.holding(tokens)
            let revocation = try await backend.revoke(tokens)
            #expect(revocation.status == 200)
            // A JWT goes on until it ends by itself; an opaque token is over at once.
            #expect(
                try await backend.call(tokens.access).status == (kind == .djangoOAuthToolkit ? 401 : 200)
            )
            #expect(await session.refreshFault == .signedOut(Self.reasonWhenVoid(kind)))
            #expect(session.state == .signedOut(Self.reasonWhenVoid(kind)))
        }
    }

    @Test(arguments: BackendKind.allCases)
    func `an attacker's earlier refresh ends the user's session only if the backend rotates tokens`(kind: BackendKind)
        async throws
    {
        let backend = try await RealBackend.shared(kind)
        let tokens = try await backend.tokens()
        let session = try await backend.holding(tokens)
        let stolen = try await backend.refresh(tokens.refresh)
        #expect(stolen.status == 200)
        guard kind.rotates else {
            // Two holders of one token that never changes: nobody can tell.
            #expect(await session.refreshFault == nil)
            #expect(try await backend.refresh(tokens.refresh).status == 200)
            return
        }
        let loot = try backend.tokens(in: stolen)
        #expect(await session.refreshFault == .signedOut(Self.reasonWhenVoid(kind)))
        // Only Django OAuth Toolkit throws out the thief as well; elsewhere the owner is out and the thief stays in.
        #expect(
            try await backend.refresh(loot.refresh).status == (kind == .djangoOAuthToolkit ? 400 : 200)
        )
    }

    @Test(arguments: BackendKind.allCases.filter(\.rotates))
    func `reuse of a rotated refresh token ends the session only on Django OAuth Toolkit`(kind: BackendKind)
        async throws
    {
        let backend = try await RealBackend.shared(kind)
        let tokens = try await backend.tokens()
        let transport = RecordingTransport()
        let session = try await backend.holding(tokens, transport: transport)
        try await session.refresh()
        let reuse = try await backend.refresh(tokens.refresh)
        #expect(reuse.status == (kind == .djangoOAuthToolkit ? 400 : 401))
        // Reuse protection voids the successor too, so the session is over, and says so; the others let it go on.
        let fault: SessionError? = kind == .djangoOAuthToolkit ? .signedOut(.unspecified) : nil
        #expect(await session.refreshFault == fault)
        #expect(
            await transport.exchanges == (kind == .djangoOAuthToolkit ? [200, 400] : [200, 200])
        )
    }
}
