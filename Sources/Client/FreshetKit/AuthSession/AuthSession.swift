// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetWire

/// Keeps a user signed in: returns valid access tokens, refreshing them once for all callers.
///
/// Create one session per store. All members are thread-safe.
public final class AuthSession: Sendable {
    let contract: Contract
    let baseURL: URL
    let configuration: Configuration
    let driver: SessionDriver
    let published: PublishedSession
    let endpoint: TokenEndpoint
    let tokens: TokenSource
    let pipeline: RequestPipeline
    let sockets = SocketRegistry()
    let lifecycleObserver = Locked<LifecycleObserver?>(nil)

    /// Restores the session from `store`, if it holds one.
    ///
    /// Sends no request.
    ///
    /// - Parameters:
    ///   - contract: The backend's token contract.
    ///   - baseURL: The backend's base URL. It must be `https`, except on the loopback interface.
    ///   - store: The store that keeps the session between launches.
    ///   - configuration: The session's configuration.
    ///   - transport: The transport that sends requests.
    /// - Throws: ``SessionError/misconfigured(_:)`` if the token could be sent to a host that must not see it, or if
    ///   the contract needs a value that is missing.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        store: any SessionStore,
        configuration: Configuration = Configuration(),
        transport: any HTTPTransport = URLSessionTransport()
    ) throws(SessionError) {
        try self.init(
            contract: contract,
            baseURL: baseURL,
            store: store,
            configuration: configuration,
            transport: transport,
            clock: .system
        )
    }

    package init(
        contract: Contract = .freshet,
        baseURL: URL,
        store: any SessionStore,
        configuration: Configuration = Configuration(),
        transport: any HTTPTransport,
        clock: SessionClock
    ) throws(SessionError) {
        let configuration = configuration.bounded
        let origins = try configuration.permittedOrigins(baseURL, contract)
        let origin = try Origin.of(baseURL)
        let values = try configuration.contractValues.templateValues(for: contract)
        let endpoint = TokenEndpoint(
            contract: contract,
            baseURL: baseURL,
            values: values,
            transport: transport,
            clock: clock,
            attemptTimeout: configuration.refreshPolicy.attemptTimeout,
            callerTimeout: configuration.refreshPolicy.callerTimeout
        )
        let published = PublishedSession(store: store.name, clock: clock)
        let driver = SessionDriver(
            machine: SessionStateMachine(
                schedule: RefreshSchedule(contract, configuration.refreshPolicy),
                renewal: contract.renewal,
                callerTimeout: configuration.refreshPolicy.callerTimeout,
                backoff: configuration.refreshPolicy.backoff
            ),
            store: store,
            endpoint: endpoint,
            origin: origin.description,
            published: published,
            assertion: configuration.backgroundAssertion
        )
        self.contract = contract
        self.baseURL = baseURL
        self.configuration = configuration
        self.driver = driver
        self.published = published
        self.endpoint = endpoint
        tokens = TokenSource(driver: driver, published: published, clock: clock)
        pipeline = RequestPipeline(
            contract: contract,
            values: values,
            transport: transport,
            tokens: tokens,
            origins: origins,
            baseOrigin: origin
        )
        published.hub.addObserver { [sockets] event in sockets.follow(event.kind) }
        if let monitor = configuration.networkMonitor { driver.follow(monitor) }
        followLifecycle()
        // Delivers a sign-out of an earlier launch that was not delivered to the server.
        if published.status.hasPendingLogout { Task { await driver.deliverLogouts() } }
    }

    // MARK: Using the session

    /// Returns a valid access token, refreshing it first if needed.
    public func accessToken() async throws(SessionError) -> AccessToken {
        guard let token = try await tokens.token(for: .valid) else { throw .signedOut(nil) }
        return token
    }

    /// Refreshes the tokens now, regardless of the access token's age.
    ///
    /// After a failure it skips the session's back-off. Such attempts are at least five seconds apart, and none is sent
    /// before the end of the server's `Retry-After`.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the session has no refresh token or the contract no refresh
    ///   endpoint.
    public func refresh() async throws(SessionError) {
        _ = try await driver.token(for: .refreshed)
    }

    /// Waits until a confirmation in progress is delivered or has failed.
    ///
    /// A process that exits right after a refresh would otherwise lose it. A lost confirmation is harmless: the next
    /// refresh proves the receipt as well.
    package func awaitConfirmation() async { await driver.confirmTask?.value }

    /// The session's state.
    public var state: SessionState { published.status.state }

    /// The current state, followed by each change.
    ///
    /// Each access returns a new stream.
    public var states: AsyncStream<SessionState> { published.states() }

    /// The server's time, independent of this device's clock; `nil` before the server's first response.
    ///
    /// Accurate to one round trip plus a second, from the `Date` field of responses to sign-ins and refreshes.
    public var serverTime: Date? {
        let now = endpoint.clock.now()
        let time = endpoint.serverClock.withLock { $0.time(at: now) }
        return time.map(Date.init(timeIntervalSince1970:))
    }

    /// A snapshot of the session.
    public var status: SessionStatus { published.status }
}
