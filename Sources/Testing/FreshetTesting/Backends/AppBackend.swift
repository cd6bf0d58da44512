// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// A fake of an app's backend: it hands out tokens as that app's backend does, and fails as a test wishes.
///
///     let backend = AppBackend(.bitbasel, clock: clock)
///     backend.settings.accessLifetime = .seconds(10)
///     backend.fail(.replyLost, .status(503, retryAfter: 5))    // the next two refreshes
///     backend.fail(.html(), at: "/posts/feed")
///
/// Any e-mail address signs in with any password, except ``wrongPassword``, and from then on with that one alone; codes by e-mail are always
/// ``emailCode``. Every app also has `/forbidden`, which answers 403, and `/broken`, which answers 500, to whoever has a
/// good access token. It is the transport of the session under test; whatever host a request names, it answers.
public final class AppBackend: Sendable {
    /// The password that is refused.
    public static let wrongPassword = "wrong"
    /// The code in every e-mail.
    public static let emailCode = "123456"
    /// How many requests are remembered at least.
    public static let retainedExchanges = 1000

    /// Whose backend this is.
    public let app: App
    /// The requests whose answers are held, as they arrive.
    ///
    /// A test waits here for a request that ``BackendFault/held`` concerns; one task at a time may.
    public let heldRequests: AsyncStream<BackendExchange>
    let holding: AsyncStream<BackendExchange>.Continuation
    let routes: any AppRoutes
    private let now: @Sendable () -> Date
    let state: Locked<BackendState>
    private let clock = Locked(LinkedClock())

    private struct LinkedClock {
        weak var clock: TestClock?
    }

    /// A backend without users, which behaves as the app's own.
    ///
    /// - Parameters:
    ///   - app: Whose backend.
    ///   - now: What time it truly is.
    public init(_ app: App, now: @escaping @Sendable () -> Date = { Date() }) {
        self.app = app
        self.now = now
        routes = app.routes
        state = Locked(BackendState(BackendSettings(for: app)))
        (heldRequests, holding) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.retainedExchanges))
    }

    /// A backend that lives by a test's clock; moving that clock's wall does not concern it.
    public convenience init(_ app: App, clock: TestClock) {
        let start = clock.wall.addingTimeInterval(-clock.now.offset.inSeconds)
        self.init(app) { start.addingTimeInterval(clock.now.offset.inSeconds) }
    }

    /// How it behaves from now on.
    public var settings: BackendSettings {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { $0.settings = newValue }
            command(.clockChanged)
        }
    }

    /// What goes wrong from now on.
    public var script: FaultScript {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// What it has seen so far.
    public var counts: BackendCounts { state.withLock { $0.counts } }
    /// The latest requests that arrived, and what they were answered; the oldest first.
    public var exchanges: [BackendExchange] { state.withLock { $0.exchanges } }
    /// The writes that the outbox app's backend accepted, in order.
    public var messages: [BackendMessage] { state.withLock { $0.messages } }
    /// How many sessions were neither signed out nor ended.
    public var liveSessions: Int { state.withLock { $0.ledger.liveSessions } }
    /// Where this app refreshes.
    public var refreshPath: String { routes.refreshPath }

    /// The next requests to an endpoint go wrong, in this order.
    ///
    /// - Parameters:
    ///   - faults: What goes wrong.
    ///   - endpoint: With requests to what.
    ///   - times: With how many requests each; `nil` is until ``clearFaults()``.
    public func fail(_ faults: BackendFault..., at endpoint: BackendEndpoint = .refresh, times: Int? = 1) {
        add(FaultScript(faults.map { FaultScript.Step($0, at: endpoint, times: times) }))
    }

    /// What a script says goes wrong, too, after what goes wrong already.
    public func add(_ script: FaultScript) { state.withLock { $0.script.append(script) } }

    /// Nothing goes wrong any more; answers that are held stay so.
    public func clearFaults() { script = FaultScript() }

    /// Lets all answers go that are held.
    public func release() {
        let answers = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for answer in answers { answer.release() }
    }

    /// A sign-in that happened before: its tokens are good, and it is not counted.
    public func signIn(_ email: String = "ann@example.com") -> BackendTokenResponse {
        act { $0.ledger.signIn(BackendUser(email: email), $0.settings, now: $0.clock) }
    }

    /// No access token that was granted so far is taken any more, although none has expired.
    public func revokeAccessTokens() { state.withLock { $0.ledger.revokeAccessTokens() } }

    /// No refresh token that was granted so far is taken any more; access tokens live on.
    public func revokeRefreshTokens() { state.withLock { $0.ledger.revokeRefreshTokens() } }

    /// Ends all sessions: neither sort of token is taken any more.
    public func endSessions() { change { $0.ledger.endSessions() } }

    /// The clock of the session whose transport it is.
    var linkedClock: TestClock? { clock.withLock { $0.clock } }

    /// Changes the state, with the backend's clock set.
    func act<Result>(_ body: (inout BackendState) -> Result) -> Result {
        let now = now().timeIntervalSince1970
        return change { state in
            state.clock = now + state.settings.clockSkew.inSeconds
            return body(&state)
        }
    }
}

extension AppBackend: OpenRequestSource {
    var openRequests: [String] {
        state.withLock { $0.held.filter(\.isHeld).map { "\($0.request), held" } }
    }

    func follow(_ clock: TestClock) { self.clock.withLock { $0.clock = clock } }
}

extension AppBackend: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The app's name; the rest holds tokens.
    public var description: String { "AppBackend(\(app.rawValue))" }
    /// The app's name.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .class) }
}
