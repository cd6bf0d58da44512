// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit

    /// A process of the app, with a session on the device's store.
    final class SimulatedProcess: @unchecked Sendable {
        static let baseURL = "https://api.example.com"

        let name: String
        let session: AuthSession
        private let store: SimulatedStore
        private let transport: SimulatedTransport

        init(_ name: String, record: SharedRecord, network: SimulatedNetwork) throws {
            self.name = name
            store = SimulatedStore(record)
            transport = SimulatedTransport(network, of: name)
            var configuration = SessionConfiguration()
            configuration.networkMonitor = nil
            configuration.backgroundAssertion = nil
            guard let url = URL(string: Self.baseURL) else { throw URLError(.badURL) }
            session = try AuthSession(baseURL: url, store: store, configuration: configuration, transport: transport)
        }

        /// Ends the process between two steps: it sends, receives and stores nothing from now on.
        func kill() {
            store.close()
            transport.close()
        }
    }
#endif
