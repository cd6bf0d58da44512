// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A session that is refreshed ten thousand times leaves a few rows, not ten thousand.
extension AuditEvent {
    /// No run is longer: of a session's past remains on which days it was used, and from where.
    package static let longestRun = Duration.seconds(86_400)

    private static let ordinary: Set = ["bound", "repeated", "sibling", "proved", "unrotated"]

    /// Whether it is a refresh like any other.
    private var isOrdinaryRefresh: Bool { kind == .refresh && isPlain && Self.ordinary.contains(outcome ?? "") }

    /// The run with one refresh more.
    ///
    /// - Returns: `nil` if `next` is no part of it: it is something else, comes from elsewhere or from another app, or it is
    ///   the next day's.
    package func continued(by next: AuditEvent) -> AuditEvent? {
        guard isOrdinaryRefresh, next.isOrdinaryRefresh, next.session == session, next.source == source,
            next.client == client, next.at >= at, next.at - (since ?? at) < Self.longestRun
        else { return nil }
        var run = next
        run.times = times + next.times
        run.since = since ?? at
        return run
    }
}
