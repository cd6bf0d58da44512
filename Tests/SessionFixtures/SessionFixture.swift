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

    package func request(_ path: String = "/things") throws -> URLRequest {
        URLRequest(url: try Fixtures.url("https://api.example.com\(path)"))
    }
}
