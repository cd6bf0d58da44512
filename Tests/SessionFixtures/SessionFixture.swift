// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit
package import FreshetTesting

#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// A session with everything around it under the test's control.
package struct SessionFixture {
    package let clock = TestClock()
    package let backend = TestBackend()
    package var configuration = AuthSession.Configuration()

    package init() { configuration.refreshPolicy.minimumInterval = .seconds(30) }

    package func session(
        contract: Contract = .freshet,
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil
    ) throws -> AuthSession {
        try AuthSession(
            contract: contract,
            baseURL: try Fixtures.base(),
            store: store,
            configuration: configuration,
            transport: transport ?? backend,
            clock: clock
        )
    }

    /// A session that is signed in with a token that has ended.
    package func expiredSession(
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil
    ) async throws -> AuthSession {
        try await self.session(store: store).signIn(.test)
        clock.advance(by: .seconds(601))
        return try session(store: store, transport: transport)
    }

    /// A session with refreshed tokens, which its store did not take and still does not take.
    ///
    /// - Parameters:
    ///   - store: The store, which gets a fault for writes.
    ///   - transport: The transport of the refresh.
    /// - Returns: The session, and the access token.
    /// - Throws: The error of the sign-in or the refresh.
    package func unsavedSession(
        store: UnreliableStore,
        transport: ManualTransport
    ) async throws -> (AuthSession, AccessToken) {
        let session = try await expiredSession(store: store, transport: transport)
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        store.writeFault = SessionStoreError(.locked, "the device is locked")
        refresh.answer(from: backend)
        return (session, try await token)
    }

    package func request(_ path: String = "/things") throws -> URLRequest {
        URLRequest(url: try Fixtures.url("https://api.example.com\(path)"))
    }
}
