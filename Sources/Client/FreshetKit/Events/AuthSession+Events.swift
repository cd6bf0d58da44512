// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession {
    /// Everything that happens to the session from now on, without a token or a part of one.
    ///
    /// Each call gives a stream of its own; a reader that is slow misses the oldest of more than 256 events.
    public var events: AsyncStream<SessionEvent> { published.hub.events() }

    /// Calls `observer` with everything that happens from now on, at once and in order.
    ///
    /// It must not wait, nor ask the session anything.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) { published.hub.addObserver(observer) }

    /// How the session fared since this object was made.
    public var statistics: SessionStatistics { published.hub.statistics(over: nil) }

    /// How the session fared lately.
    ///
    /// - Parameter window: How far to look back, an hour at most; it is counted by whole minutes.
    /// - Returns: The numbers of that time.
    public func statistics(over window: Duration) -> SessionStatistics { published.hub.statistics(over: window) }
}
