// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

extension AuthSession {
    /// Creates a session that runs on a test clock, with the maximum of every random delay.
    ///
    /// - Parameters:
    ///   - contract: The contract of the backend.
    ///   - baseURL: The base URL of the backend.
    ///   - store: The store of the session's record.
    ///   - configuration: Settings that differ from the defaults.
    ///   - transport: The transport that answers requests.
    ///   - clock: The clock that the test moves.
    /// - Throws: The errors of the other initializers of ``AuthSession``.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        store: any SessionStore,
        configuration: AuthSession.Configuration = AuthSession.Configuration(),
        transport: any HTTPTransport,
        clock: TestClock
    ) throws(SessionError) {
        try self.init(
            contract: contract,
            baseURL: baseURL,
            store: store,
            configuration: configuration,
            transport: transport,
            clock: clock.sessionClock()
        )
        clock.link(self, transport)
    }
}
