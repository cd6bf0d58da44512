// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession {
    /// The configuration of an ``AuthSession``.
    public struct Configuration: Sendable {
        /// The times that control refreshes: when they start, how long they wait, and when they are retried.
        public var refreshPolicy = RefreshPolicy()
        /// Additional hosts that receive the access token, such as `api.example.com`, with a port or a scheme if needed.
        ///
        /// An entry without a scheme gets the scheme of the base URL.
        public var additionalHosts: [String] = []
        /// The values of the contract's own variables and secrets, such as `["client_id": "…"]`.
        public var contractValues: ContractValues = [:]
        /// The description of this device in the list of the user's sessions.
        public var device = DeviceDescription()
        /// Reports whether there is a network; without a monitor, retries depend only on their delays.
        public var networkMonitor = SessionNetworkMonitor.standard
        /// Keeps the system from suspending the app, or an app extension, during a refresh.
        public var backgroundAssertion: BackgroundAssertion? = .standard
        /// Allows `http` to hosts other than this machine; a network attacker can then take over the session.
        public var allowsUnencryptedConnectionsToOtherMachines = false

        /// Creates a configuration with the default values.
        public init() {}

        /// A copy whose times are clamped, so that sums cannot overflow.
        var bounded: Configuration {
            var configuration = self
            configuration.refreshPolicy = refreshPolicy.bounded
            return configuration
        }
    }
}
