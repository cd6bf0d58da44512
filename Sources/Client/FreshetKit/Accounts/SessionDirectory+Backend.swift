// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

extension SessionDirectory {
    /// The accounts of one backend that rest in `stores`.
    ///
    /// - Parameters:
    ///   - contract: How the backend hands out tokens.
    ///   - baseURL: Where the backend is.
    ///   - stores: Where the sessions rest.
    ///   - configuration: What differs from the defaults, for every account.
    ///   - transport: What carries requests.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        stores: any SessionStores,
        configuration: SessionConfiguration = SessionConfiguration(),
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
