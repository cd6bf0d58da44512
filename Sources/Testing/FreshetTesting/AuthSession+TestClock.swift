// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

extension AuthSession {
    /// A session that lives by a test's clock, without jitter: every random wait takes its longest.
    ///
    /// - Parameters:
    ///   - contract: How the backend hands out tokens.
    ///   - baseURL: Where the backend would be.
    ///   - store: Where the session rests.
    ///   - configuration: What differs from the defaults.
    ///   - transport: What answers requests.
    ///   - clock: The clock that the test moves.
    /// - Throws: What ``AuthSession`` throws otherwise.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        store: any SessionStore,
        configuration: SessionConfiguration = SessionConfiguration(),
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
