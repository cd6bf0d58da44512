// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An estimate of the server's clock, from the times in its responses.
///
/// Its time was written between our sending and our receiving, so each answer bounds it to the round trip and the second
/// to which it was cut. Nothing that the device's wall clock says comes into it.
struct ServerClockEstimate: Equatable, Sendable {
    /// The bounds of the server's time, in seconds since 1970, minus the session's own clock.
    private(set) var offset: ClosedRange<Double>?

    /// An answer bore a time in whole seconds.
    mutating func addSample(_ time: Double, sentAt: Duration, receivedAt: Duration) {
        guard time.isFinite, sentAt <= receivedAt else { return }
        let told = (time - receivedAt.inSeconds)...(time + 1 - sentAt.inSeconds)
        // Answers that contradict each other are of two servers, or of one whose clock was set: the newest counts.
        guard let known = offset, known.overlaps(told) else {
            offset = told
            return
        }
        offset = known.clamped(to: told)
    }

    /// The likeliest time there; `nil` before the first answer.
    func time(at now: Duration) -> Double? {
        offset.map { ($0.lowerBound + $0.upperBound) / 2 + now.inSeconds }
    }
}
