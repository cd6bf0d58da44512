// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The sessions that ended while access tokens of theirs may still be out, as an issuer's feed tells.
///
/// A token is good until its `exp`; with this list it is refused within a second of its session's end. The list only
/// ever adds a refusal: while the feed does not answer, tokens of sessions that end meanwhile pass until their `exp`, and
/// ``status`` says since when that is so.
package actor RevocationList {
    package struct Limits: Equatable, Sendable {
        /// How long the issuer's access tokens live at most, with something for clocks that differ; in seconds.
        package var maximumTokenLifetime: Double = 3660
        /// More are not kept; the oldest go first.
        package var capacity = 200_000
        /// How long the feed may take to answer when nothing happens.
        package var wait = 25
        /// Between two tries while the feed fails.
        package var retry: ClosedRange<Double> = 0.5...15

        package init() {}
    }

    /// What the list can be relied on for.
    package enum Status: Equatable, Sendable {
        /// The feed was never heard.
        case none
        /// Whatever ended was told, but for the time that an answer takes.
        case current
        /// Sessions that ended after this moment are not known.
        case stale(since: Double)
    }

    /// Asks the feed for what came after a cursor, and lets it wait so many seconds for something to tell.
    package typealias Transport = @Sendable (_ after: String?, _ wait: Int) async throws -> RevocationPage

    private let limits: Limits
    private let now: @Sendable () -> Double
    private let sleep: @Sendable (Duration) async throws -> Void
    private let transport: Transport
    private var endings: [String: Double] = [:]
    private var cursor: String?
    private var lastResponseAt: Double?
    private var isFailing = false

    package init(
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        transport: @escaping Transport
    ) {
        self.limits = limits
        self.now = now
        self.sleep = sleep
        self.transport = transport
    }

    package func hasEnded(_ session: String) -> Bool { endings[session] != nil }

    package var status: Status {
        guard let lastResponseAt else { return .none }
        return isFailing ? .stale(since: lastResponseAt) : .current
    }

    /// Follows the feed until the task is cancelled.
    package func follow() async {
        var pause = limits.retry.lowerBound
        while !Task.isCancelled {
            do {
                try await poll()
                pause = limits.retry.lowerBound
            } catch {
                isFailing = true
                // Not all at once, when the issuer comes back.
                try? await sleep(.seconds(pause * Double.random(in: 0.5...1)))
                pause = min(pause * 2, limits.retry.upperBound)
            }
        }
    }

    /// Asks once.
    package func poll() async throws {
        let askedAt = now()
        let page = try await transport(cursor, lastResponseAt == nil || isFailing ? 0 : limits.wait)
        for entry in page.ended { endings[entry.sid] = max(entry.at, endings[entry.sid] ?? entry.at) }
        cursor = page.cursor
        forget()
        guard !page.more else { return }
        // What ended while the answer travelled comes with the next one.
        lastResponseAt = max(askedAt, lastResponseAt ?? askedAt)
        isFailing = false
    }

    private func forget() {
        let earliest = now() - limits.maximumTokenLifetime
        if endings.count > limits.capacity / 2 { endings = endings.filter { $0.value >= earliest } }
        let surplus = endings.count - limits.capacity
        guard surplus > 0 else { return }
        for (session, _) in endings.sorted(by: { $0.value < $1.value }).prefix(surplus) { endings[session] = nil }
    }
}
