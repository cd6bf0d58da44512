// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import SeededRandom

/// A server with one first-in, first-out queue, within the real server's admission limits.
///
/// The response time of a request is known when it arrives, because later requests do not overtake it.
struct SimulatedNode {
    /// The measured throughput of the real server, in refreshes per second.
    ///
    /// On two cores shared with the load generator (`make bench`, 16 connections).
    ///
    /// The limits of a node for a smaller fleet are scaled down in proportion.
    static let realCapacity = 3500.0
    /// The round-trip time between device and server, in milliseconds.
    static let roundTrip = 80
    /// The cost of a rejected request, relative to an answered one: the connection and the head.
    static let refusalCost = 0.25
    /// The maximum share of the node's time for rejections; beyond it, connections are closed.
    static let refusalShare = 0.5

    private let service: Double
    /// The maximum numbers of queued refreshes and of queued rejections.
    private let limits: (refreshes: Double, refusals: Double)
    /// The times at which all accepted refreshes and all rejections are completed.
    private var busyUntil = 0.0
    private var refusingUntil = 0.0

    init(capacity: Double, limits: AdmissionLimits = AdmissionLimits()) {
        service = 1000 / capacity
        let scale = capacity / Self.realCapacity
        let rest = Double(limits.connections - limits.requests)
        self.limits = (max(1, Double(limits.requests) * scale), max(1, rest * scale))
    }

    /// Returns the response to a refresh that arrives at `time`, in milliseconds.
    ///
    /// - Parameters:
    ///   - time: The time of arrival.
    ///   - slowness: The factor by which the server is slower than usual.
    ///   - waits: The range of Retry-After values for rejected requests, in seconds.
    ///   - chance: The random stream for Retry-After values.
    /// - Returns: The response.
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
        // Time spent on rejections delays the refreshes.
        busyUntil = start + cost * Self.refusalCost
        return .unavailable(
            at: Int(refusingUntil.rounded(.up)) + Self.roundTrip,
            retryAfter: .seconds(chance.number(in: waits))
        )
    }
}
