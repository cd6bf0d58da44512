// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

extension SessionDirectory {
    /// Creates a directory for the accounts of one backend in `stores`.
    ///
    /// - Parameters:
    ///   - contract: The backend's token contract.
    ///   - baseURL: The backend's base URL.
    ///   - stores: The stores of the sessions.
    ///   - configuration: The configuration of every account's session.
    ///   - transport: The transport that sends requests.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        stores: any SessionStores,
        configuration: AuthSession.Configuration = AuthSession.Configuration(),
        transport: any HTTPTransport = URLSessionTransport()
    ) {
        self.init(stores: stores) { store throws(SessionError) in
            try AuthSession(
                contract: contract,
                baseURL: baseURL,
                store: store,
                configuration: configuration,
                transport: transport
            )
        }
    }
}
