// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// What answers: one queue that is served in turn, as long as the server's own limits let it grow.
///
/// An answer is known when its request comes, because nothing that comes later overtakes it.
struct SimulatedNode {
    /// So many refreshes a second the real server answered where it was measured: on two cores, of which the load had a part
    /// (`make bench`, 16 connections).
    ///
    /// A node for a smaller fleet has its limits smaller by the same measure.
    static let realCapacity = 3500.0
    /// From the device to the server and back.
    static let roundTrip = 80
    /// A request that is turned away costs this share of one that is answered: the connection and the head.
    static let refusalCost = 0.25
    /// What turning away may take of the node's time; whoever comes beyond that finds the connection closed.
    static let refusalShare = 0.5

    private let service: Double
    /// Refreshes that wait before others are turned away, and requests that wait to be turned away.
    private let limits: (refreshes: Double, refusals: Double)
    /// When all that was taken on is done, and when all are told that were not.
    private var busyUntil = 0.0
    private var refusingUntil = 0.0

    init(capacity: Double, limits: AdmissionLimits = AdmissionLimits()) {
        service = 1000 / capacity
        let scale = capacity / Self.realCapacity
        let rest = Double(limits.connections - limits.requests)
        self.limits = (max(1, Double(limits.requests) * scale), max(1, rest * scale))
    }

    /// Answers a refresh that comes at `time`, in milliseconds.
    ///
    /// - Parameters:
    ///   - time: When it comes.
    ///   - slowness: How much longer than usual everything takes.
    ///   - waits: What those are told, in seconds, who are turned away.
    ///   - chance: For the time that those are told who are turned away.
    /// - Returns: What becomes of it.
    mutating func answer(at time: Int, slowness: Double, waits: ClosedRange<Int>, _ chance: inout SeededRandomStream)
        -> NodeResponse
    {
        let now = Double(time)
        let cost = service * slowness
        let start = max(now, busyUntil)
        if start - now < limits.refreshes * cost {
            busyUntil = start + cost
            return .granted(at: Int(busyUntil.rounded(.up)) + Self.roundTrip)
        }
        let refusal = cost * Self.refusalCost / Self.refusalShare
        let turn = max(now, refusingUntil)
        guard turn - now < limits.refusals * refusal else { return .lost(at: time + Self.roundTrip) }
        refusingUntil = turn + refusal
        // What it takes, the refreshes miss.
        busyUntil = start + cost * Self.refusalCost
        return .unavailable(
            at: Int(refusingUntil.rounded(.up)) + Self.roundTrip,
            retryAfter: .seconds(chance.number(in: waits))
        )
    }
}
