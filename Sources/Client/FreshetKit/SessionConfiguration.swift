// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a session behaves where the defaults do not fit.
public struct SessionConfiguration: Sendable {
    /// The earliest point before expiry at which an access token is refreshed; `nil` for the contract's own figure.
    ///
    /// Half of the token's lifetime is the limit in any case. A contract without a figure refreshes a fifth of the token's
    /// lifetime before its expiry.
    public var leeway: Duration?
    /// How young an access token must be for a further refresh to be pointless; `nil` leaves it to the contract, or is 2 min.
    ///
    /// It bounds refreshes ahead of time, and those that a resource causes which answers 401 for ever. Half of the
    /// token's lifetime is the limit.
    public var minimumRefreshInterval: Duration?
    /// How long one attempt to reach a token endpoint may take.
    ///
    /// For a refresh ``patience`` counts instead, if it is longer, where the contract's backend may take each refresh token
    /// once and has no grace: a second attempt would present a token that the first used up. An answer that comes later
    /// still is adopted.
    public var refreshDeadline: Duration = .seconds(10)
    /// How long a caller waits for a token in all, while attempts are made, fail and are repeated.
    public var patience: Duration = .seconds(30)
    /// How long to wait between attempts.
    public var backoff = RetryBackoff()
    /// Further hosts that may see the access token, as `api.example.com`, `api.example.com:8443` or with a scheme.
    ///
    /// Without one the base URL's scheme holds.
    public var additionalHosts: [String] = []
    /// What the contract's own variables and secrets stand for, as `["client_id": "…"]`.
    public var contractValues: ContractValues = [:]
    /// What the list of the user's sessions says about this device.
    public var device = DeviceDescription()
    /// What tells whether there is a network; `nil` for nothing, and then only time does.
    public var networkMonitor = NetworkMonitor.standard
    /// Keeps the system from suspending the app, or an app extension, in the middle of a refresh.
    public var backgroundAssertion: BackgroundAssertion? = .standard
    /// Allows `http` to hosts other than this machine: everybody on the way can then take over the session.
    public var allowsUnencryptedConnectionsToOtherMachines = false

    /// The defaults.
    public init() {}

    /// The same with all times within zero and ten years, so that sums with them cannot overflow.
    var bounded: SessionConfiguration {
        var configuration = self
        configuration.leeway = leeway?.bounded
        configuration.minimumRefreshInterval = minimumRefreshInterval?.bounded
        configuration.refreshDeadline = refreshDeadline.bounded
        configuration.patience = patience.bounded
        return configuration
    }
}
