// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetKit
package import FreshetTesting

/// A fake of an app's backend that issues tokens in the same way as the backend, and injects faults.
///
///     let backend = AppBackend(.bitbasel, clock: clock)
///     backend.settings.accessLifetime = .seconds(10)
///     backend.fail(.replyLost, .status(503, retryAfter: 5))    // the next two refreshes
///     backend.fail(.html(), at: "/posts/feed")
///
/// Any e-mail address can sign in with any password except ``wrongPassword``, and later only with the same password.
/// The code sent by e-mail is always ``emailCode``. Every app also has `/forbidden`, which answers 403, and `/broken`,
/// which answers 500, to requests with a valid access token. Use the backend as the transport of the session under
/// test; it answers for any host.
package final class AppBackend: Sendable {
    package typealias App = BackendApp

    /// The password that is always refused.
    package static let wrongPassword = BackendCredentials.wrongPassword
    /// The code that every e-mail contains.
    package static let emailCode = BackendCredentials.emailCode
    /// The minimum number of requests that are kept.
    package static let retainedExchanges = BackendState.retainedExchanges

    /// The app whose backend is imitated.
    package let app: App
    /// The requests whose responses are held, as they arrive.
    ///
    /// A test waits here for a request with the fault ``BackendFault/held``; only one task may iterate at a time.
    package let heldRequests: AsyncStream<BackendExchange>
    let holding: AsyncStream<BackendExchange>.Continuation
    let routes: any AppRoutes
    private let now: @Sendable () -> Date
    let state: Locked<BackendState>
    private let clock = Locked(LinkedClock())

    private struct LinkedClock {
        weak var clock: TestClock?
    }

    /// Creates a backend without users, with the settings of the app's own backend.
    ///
    /// - Parameters:
    ///   - app: The app whose backend to imitate.
    ///   - now: Returns the true time.
    package init(_ app: App, now: @escaping @Sendable () -> Date = { Date() }) {
        self.app = app
        self.now = now
        routes = app.routes
        state = Locked(BackendState(BackendSettings(for: app)))
        (heldRequests, holding) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.retainedExchanges))
    }

    /// Creates a backend that runs on a test clock; ``TestClock/moveWallClock(by:)`` does not affect it.
    package convenience init(_ app: App, clock: TestClock) {
        let start = clock.wall.addingTimeInterval(-clock.now.offset.inSeconds)
        self.init(app) { start.addingTimeInterval(clock.now.offset.inSeconds) }
    }

    /// The behaviour of the backend from now on.
    package var settings: BackendSettings {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { $0.settings = newValue }
            command(.clockChanged)
        }
    }

    /// The faults of the next requests.
    package var script: FaultScript {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The numbers of requests that the backend has received.
    package var counts: BackendCounts { state.withLock { $0.counts } }
    /// The latest requests and their responses; the oldest first.
    package var exchanges: [BackendExchange] { state.withLock { $0.exchanges } }
    /// The writes that the outbox app's backend accepted, in order.
    package var messages: [BackendMessage] { state.withLock { $0.messages } }
    /// The number of sessions that are neither signed out nor ended.
    package var liveSessions: Int { state.withLock { $0.ledger.liveSessions } }
    /// The path at which this app refreshes.
    package var refreshPath: String { routes.refreshPath }

    /// Adds faults for the next requests to an endpoint, in this order.
    ///
    /// - Parameters:
    ///   - faults: The faults to inject.
    ///   - endpoint: The endpoint whose requests fail.
    ///   - times: The number of requests per fault; `nil` until ``clearFaults()``.
    package func fail(_ faults: BackendFault..., at endpoint: BackendEndpoint = .refresh, times: Int? = 1) {
        add(FaultScript(faults.map { FaultScript.Step($0, at: endpoint, times: times) }))
    }

    /// Adds the faults of a script after those already scheduled.
    package func add(_ script: FaultScript) { state.withLock { $0.script.append(script) } }

    /// Removes all faults; held responses stay held.
    package func clearFaults() { script = FaultScript() }

    /// Releases all held responses.
    package func release() {
        let answers = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for answer in answers { answer.release() }
    }

    /// Signs a user in without a request.
    ///
    /// The tokens are valid, and the sign-in is not counted.
    package func signIn(_ email: String = "ann@example.com") -> BackendTokenResponse {
        act { $0.ledger.signIn(BackendUser(email: email), $0.settings, now: $0.clock) }
    }

    /// Revokes all access tokens granted so far, although they have not expired.
    package func revokeAccessTokens() { state.withLock { $0.ledger.revokeAccessTokens() } }

    /// Revokes all refresh tokens granted so far; access tokens stay valid.
    package func revokeRefreshTokens() { state.withLock { $0.ledger.revokeRefreshTokens() } }

    /// Ends all sessions: neither their access tokens nor their refresh tokens are accepted any longer.
    package func endSessions() { change { $0.ledger.endSessions() } }

    /// The clock of the session that uses this backend as its transport.
    var linkedClock: TestClock? { clock.withLock { $0.clock } }

    /// Changes the state after setting the backend's clock.
    func act<Result>(_ body: (inout BackendState) -> Result) -> Result {
        let now = now().timeIntervalSince1970
        return change { state in
            state.clock = now + state.settings.clockSkew.inSeconds
            return body(&state)
        }
    }
}

extension AppBackend: OpenRequestSource {
    package var openRequests: [String] {
        state.withLock { $0.held.filter(\.isHeld).map { "\($0.request), held" } }
    }

    package func follow(_ clock: TestClock) { self.clock.withLock { $0.clock = clock } }
}

extension AppBackend: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The app's name, without tokens.
    package var description: String { "AppBackend(\(app.rawValue))" }
    /// The app's name.
    package var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .class) }
}
