// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession {
    /// The events of the session from now on, without tokens.
    ///
    /// Each access returns a new stream; if a slow reader has more than 256 unread events, the oldest are dropped.
    public var events: AsyncStream<SessionEvent> { published.hub.events() }

    /// Calls `observer` with each later event, in order.
    ///
    /// It must not block, as the next events wait for it.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) { published.hub.addObserver(observer) }

    /// The session's statistics since this object was created.
    public var statistics: SessionStatistics { published.hub.statistics(over: nil) }

    /// Returns the session's statistics of the last `window`.
    ///
    /// - Parameter window: The time to look back, at most an hour; it is counted in whole minutes.
    /// - Returns: The statistics of that time.
    public func statistics(over window: Duration) -> SessionStatistics { published.hub.statistics(over: window) }
}
