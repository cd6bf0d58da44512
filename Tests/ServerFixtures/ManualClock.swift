// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import NIOConcurrencyHelpers

/// A wall clock and a monotonic clock that a test moves.
package final class ManualClock: Sendable {
    private let elapsed = NIOLockedValueBox(Timestamp.system())
    /// How far the wall clock has jumped against the monotonic one.
    private let jumped = NIOLockedValueBox(Duration.zero)

    package init() {}

    /// Moves both clocks.
    package func advance(by span: Duration) { elapsed.withLockedValue { $0 = $0 + span } }

    /// Sets the wall clock; the monotonic one stays.
    package func jump(by span: Duration) { jumped.withLockedValue { $0 += span } }

    /// The time of the wall clock.
    package func now() -> Timestamp { elapsed.withLockedValue { $0 } + jumped.withLockedValue { $0 } }

    /// The clocks of a server.
    package var source: ClockSource {
        ClockSource(
            wall: { [self] in now() },
            monotonic: { [self] in .milliseconds(elapsed.withLockedValue { $0.milliseconds }) }
        )
    }
}
