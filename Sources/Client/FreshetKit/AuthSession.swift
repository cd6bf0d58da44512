// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetWire

/// Keeps one user signed in: hands out access tokens that are good now, and refreshes them once however many ask.
///
/// Keep one session for each place where it rests. All of it may be used from any thread.
public final class AuthSession: Sendable {
    let contract: Contract
    let baseURL: URL
    let configuration: SessionConfiguration
    let driver: SessionDriver
    let published: PublishedSession
    let endpoint: TokenEndpoint
    let tokens: TokenSource
    let pipeline: RequestPipeline
    let sockets = SocketRegistry()

    /// Picks up the session that rests in `store`, if there is one.
    ///
    /// Nothing is sent for that.
    ///
    /// - Parameters:
    ///   - contract: How the backend hands out tokens.
    ///   - baseURL: Where the backend is. It must be `https`, except on this machine.
    ///   - store: Where the session rests between launches.
    ///   - configuration: What differs from the defaults.
    ///   - transport: What carries requests.
    /// - Throws: ``SessionError/contractFault(_:)`` if the token would go where it must not, or if the contract needs a
    ///   value that is not there.
    public convenience init(
        contract: Contract = .freshet,
        baseURL: URL,
        store: any SessionStore,
        configuration: SessionConfiguration = SessionConfiguration(),
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
        configuration: SessionConfiguration = SessionConfiguration(),
        transport: any HTTPTransport,
        clock: SessionClock
    ) throws(SessionError) {
        let configuration = configuration.bounded
        let origins = try Origin.permitted(baseURL, contract, configuration)
        let origin = try Origin.of(baseURL)
        let values = try configuration.contractValues.templateValues(for: contract)
        let endpoint = TokenEndpoint(
            contract: contract,
            baseURL: baseURL,
            values: values,
            transport: transport,
            clock: clock,
            deadline: configuration.refreshDeadline,
            patience: configuration.patience
        )
        let published = PublishedSession(store: store.name, clock: clock)
        let driver = SessionDriver(
            machine: SessionStateMachine(
                schedule: RefreshSchedule(contract, configuration),
                renewal: contract.renewal,
                patience: configuration.patience,
                backoff: configuration.backoff
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
        // A sign-out of an earlier launch that the server has yet to hear of.
        if published.status.hasPendingLogout { Task { await driver.deliverLogouts() } }
    }

    // MARK: Using the session

    /// Returns an access token that is good now, refreshed first if need be.
    public func accessToken() async throws(SessionError) -> AccessToken {
        guard let token = try await tokens.token(for: .valid) else { throw .signedOut(nil) }
        return token
    }

    /// Refreshes now, whatever the token's age.
    ///
    /// After a failure it does not wait for the session's own back-off, but such early attempts are five seconds apart at
    /// least, and none is sent before a time that the server named.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the session has nothing to refresh with.
    public func refresh() async throws(SessionError) {
        _ = try await driver.token(for: .refreshed)
    }

    /// Waits until a confirmation under way was delivered or has failed.
    ///
    /// A process that ends right after a refresh would otherwise take it along. Safety does not rest on it: the next
    /// refresh proves receipt as well.
    package func awaitConfirmation() async { await driver.confirmTask?.value }

    /// Where the session stands.
    public var state: SessionState { published.status.state }

    /// The state now, then every further one.
    ///
    /// Each call gives a stream of its own.
    public var states: AsyncStream<SessionState> { published.states() }

    /// What the server's clock shows now, whatever this device's does; `nil` before the server's first answer.
    ///
    /// It is known to a round trip and a second, from the `Date` field of answers to sign-ins and refreshes.
    public var serverTime: Date? {
        let now = endpoint.clock.now()
        let time = endpoint.serverClock.withLock { $0.time(at: now) }
        return time.map(Date.init(timeIntervalSince1970:))
    }

    /// What is known about the session.
    public var status: SessionStatus { published.status }
}
