// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension AuthSession {
    /// The configuration of an ``AuthSession``.
    public struct Configuration: Sendable {
        /// The times that control refreshes: when they start, how long they wait, and when they are retried.
        public var refreshPolicy = RefreshPolicy()
        /// Additional hosts that receive the access token, such as `api.example.com`.
        ///
        /// An entry may have a port and a scheme. Without a scheme it gets that of the base URL.
        public var additionalHosts: [String] = []
        /// The values of the contract's own variables and secrets, such as `["client_id": "…"]`.
        public var contractValues: ContractValues = [:]
        /// The description of this device in the list of the user's sessions.
        public var device = DeviceDescription()
        /// Reports whether there is a network; without a monitor, retries depend only on their delays.
        public var networkMonitor = SessionNetworkMonitor.standard
        /// Keeps the system from suspending the app, or an app extension, during a refresh.
        public var backgroundAssertion: BackgroundAssertion? = .standard
        /// The parts of the app's lifecycle that the session follows by itself; by default none.
        public var lifecycle = Lifecycle()
        /// Allows `http` to hosts other than this machine; a network attacker can then take over the session.
        public var allowsUnencryptedConnectionsToOtherMachines = false

        /// Creates a configuration with the default values.
        public init() {}

        /// The configuration of an app: the session follows the app's lifecycle by itself.
        ///
        /// In the foreground it refreshes the access token before expiry; in the background it stops its timers. It
        /// reads the store again when the device is unlocked, follows the network, and keeps the app from being
        /// suspended during a refresh. On systems without such notifications, as Linux, it is the same as ``init()``.
        ///
        /// With a background task, create the session on the main thread before the app has finished launching, as in
        /// the initializer of a SwiftUI `App`: the system accepts no background tasks later.
        ///
        /// - Parameter backgroundTask: The identifier of a background task that refreshes the session; see
        ///   ``AuthSession/Lifecycle/backgroundTask``.
        /// - Returns: A configuration, whose other values can be changed.
        public static func app(backgroundTask: String? = nil) -> Configuration {
            var configuration = Configuration()
            configuration.lifecycle = Lifecycle(
                followsForeground: true,
                reloadsWhenUnlocked: true,
                backgroundTask: backgroundTask
            )
            return configuration
        }

        /// Returns the origins that may receive the access token.
        func permittedOrigins(_ baseURL: URL, _ contract: Contract) throws(SessionError) -> Set<Origin> {
            try Origin.permitted(
                baseURL,
                contract,
                additionalHosts: additionalHosts,
                allowsUnencrypted: allowsUnencryptedConnectionsToOtherMachines
            )
        }

        /// A copy whose times are clamped, so that sums cannot overflow.
        var bounded: Configuration {
            var configuration = self
            configuration.refreshPolicy = refreshPolicy.bounded
            return configuration
        }
    }
}
