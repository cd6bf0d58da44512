// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

extension SessionPolicy {
    /// Returns the policy of an OAuth client's session: OAuth libraries send no intents.
    package static func client(_ client: OAuthClient) -> SessionPolicy {
        SessionPolicy(contract: SessionRow.clientPrefix + client.id, mode: .plain)
    }
}

extension SessionRow {
    /// The prefix of an OAuth client's id in the contract column of a session's row.
    ///
    /// Names of contracts contain no colon.
    static let clientPrefix = "client:"

    /// The OAuth client for which the session was opened and to which it is bound (RFC 6749 section 10.4).
    package var client: String? {
        guard let contract, contract.hasPrefix(Self.clientPrefix) else { return nil }
        return String(contract.dropFirst(Self.clientPrefix.count))
    }
}
