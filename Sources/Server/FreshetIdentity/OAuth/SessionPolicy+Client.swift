// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

extension SessionPolicy {
    /// A session that belongs to an OAuth client: its library sends no intents.
    package static func client(_ client: OAuthClient) -> SessionPolicy {
        SessionPolicy(contract: SessionRow.clientPrefix + client.id, mode: .plain)
    }
}

extension SessionRow {
    /// A row says where its session was opened: a contract by its name, a client by its id after this.
    ///
    /// No contract has a name with a colon.
    static let clientPrefix = "client:"

    /// The OAuth client that the session was opened for, and is bound to (RFC 6749 section 10.4).
    package var client: String? {
        guard let contract, contract.hasPrefix(Self.clientPrefix) else { return nil }
        return String(contract.dropFirst(Self.clientPrefix.count))
    }
}
