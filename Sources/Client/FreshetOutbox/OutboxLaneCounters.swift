// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The totals of an account's lanes, updated with each change.
struct OutboxLaneCounters: Equatable {
    private(set) var items = 0
    private(set) var sendingLanes = 0
    /// The number of lanes that wait only for their turn.
    private(set) var ready = 0
    /// The number of items in lanes that are refused or blocked.
    private(set) var held = 0

    var sending: Int { sendingLanes }

    mutating func add(_ lane: OutboxLane) { count(lane, 1) }
    mutating func subtract(_ lane: OutboxLane) { count(lane, -1) }

    private mutating func count(_ lane: OutboxLane, _ sign: Int) {
        items += sign * lane.entries.count
        if lane.isReady { ready += sign }
        switch lane.state {
        case .sending: sendingLanes += sign
        case .refused, .blocked: held += sign * lane.entries.count
        case .ready, .pausing: break
        }
    }
}
