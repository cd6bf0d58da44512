// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The configuration of an ``AuthSession``.
public struct SessionConfiguration: Sendable {
    /// The earliest point before expiry at which a token is refreshed; `nil` for the contract's value.
    ///
    /// Capped at half of the token's lifetime. Without a value in the contract, a token is refreshed when a fifth of
    /// its lifetime is left.
    public var leeway: Duration?
    /// The age below which a token is not refreshed again; `nil` for the contract's value, or 2 min if the contract has
    /// none.
    ///
    /// It limits refreshes before expiry, and those caused by a resource that answers 401 every time. Capped at half of
    /// the token's lifetime.
    public var minimumRefreshInterval: Duration?
    /// The timeout of one request to a token endpoint.
    ///
    /// A refresh uses ``patience`` instead, if it is longer and the backend may accept each refresh token only once,
    /// without a grace period: a second attempt would present a token that the first one has used up. A response that
    /// arrives after the timeout is still used.
    public var refreshDeadline: Duration = .seconds(10)
    /// The maximum time that a caller waits for a token, over all attempts.
    public var patience: Duration = .seconds(30)
    /// The delays between attempts.
    public var backoff = RetryBackoff()
    /// Additional hosts that receive the access token, such as `api.example.com`, with a port or a scheme if needed.
    ///
    /// An entry without a scheme gets the scheme of the base URL.
    public var additionalHosts: [String] = []
    /// The values of the contract's own variables and secrets, such as `["client_id": "…"]`.
    public var contractValues: ContractValues = [:]
    /// The description of this device in the list of the user's sessions.
    public var device = DeviceDescription()
    /// Reports whether there is a network; without a monitor, retries depend only on their delays.
    public var networkMonitor = NetworkMonitor.standard
    /// Keeps the system from suspending the app, or an app extension, during a refresh.
    public var backgroundAssertion: BackgroundAssertion? = .standard
    /// Allows `http` to hosts other than this machine; a network attacker can then take over the session.
    public var allowsUnencryptedConnectionsToOtherMachines = false

    /// Creates a configuration with the default values.
    public init() {}

    /// A copy with all times clamped to between zero and ten years, so that sums cannot overflow.
    var bounded: SessionConfiguration {
        var configuration = self
        configuration.leeway = leeway?.bounded
        configuration.minimumRefreshInterval = minimumRefreshInterval?.bounded
        configuration.refreshDeadline = refreshDeadline.bounded
        configuration.patience = patience.bounded
        return configuration
    }
}
