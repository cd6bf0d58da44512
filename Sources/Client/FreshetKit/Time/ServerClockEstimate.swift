// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An estimate of the server's clock, from the times in its responses.
///
/// The server writes its time between the sending of the request and the receipt of the response, so each response
/// limits the estimate to an interval as long as the round trip plus one second, to which the time is truncated. The
/// device's wall clock is not used.
struct ServerClockEstimate: Equatable, Sendable {
    /// The bounds of the server's time, in seconds since 1970, minus the session's own clock.
    private(set) var offset: ClosedRange<Double>?

    /// Adds the time of a response, in whole seconds.
    mutating func addSample(_ time: Double, sentAt: Duration, receivedAt: Duration) {
        guard time.isFinite, sentAt <= receivedAt else { return }
        let told = (time - receivedAt.inSeconds)...(time + 1 - sentAt.inSeconds)
        // Responses that contradict each other come from two servers, or from one whose clock was set: the newest is
        // used.
        guard let known = offset, known.overlaps(told) else {
            offset = told
            return
        }
        offset = known.clamped(to: told)
    }

    /// Returns the most likely server time; `nil` before the first response.
    func time(at now: Duration) -> Double? {
        offset.map { ($0.lowerBound + $0.upperBound) / 2 + now.inSeconds }
    }
}
