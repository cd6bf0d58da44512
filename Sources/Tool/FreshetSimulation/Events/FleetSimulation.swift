// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetKit
import SeededRandom

/// A simulation of a fleet under a policy in a scenario, driven by events.
///
/// It reads no clock, random source or other input, so equal parameters produce equal results. Each device has one
/// pending event at any time, so memory is proportional to the number of devices and independent of time.
package struct FleetSimulation {
    let fleet: Fleet
    let incident: Incident
    let policy: FleetPolicy
    /// Values of the policy and the incident that every event reads.
    let attemptTimeout: Int
    let callerTimeout: Int
    let push: (share: Double, within: Int)?
    let skew: (share: Double, limit: Int)?
    let refusals: Range<Int>?
    var wheel: TimingWheel
    var node: SimulatedNode
    var devices: [SimulatedDevice]
    var figures: FleetCounters
    /// The random stream of the policy; visits have their own.
    var chance: SeededRandomStream

    /// Creates a simulation at its start.
    ///
    /// - Parameters:
    ///   - fleet: The devices, their users and their usage.
    ///   - incident: The incident during the run.
    ///   - policy: The refresh policy.
    ///   - capacity: The capacity of the server, in refreshes per second.
    package init(_ fleet: Fleet, _ incident: Incident, _ policy: FleetPolicy, capacity: Double) {
        self.fleet = fleet
        self.incident = incident
        self.policy = policy
        attemptTimeout = Int(policy.attemptTimeout.milliseconds)
        callerTimeout = Int(policy.callerTimeout.milliseconds)
        push = incident.push
        skew = incident.skew
        refusals = incident.refusals
        wheel = TimingWheel(devices: fleet.devices, span: fleet.span)
        node = SimulatedNode(capacity: capacity)
        devices = (0..<fleet.devices).map { SimulatedDevice(user: fleet.user(of: $0)) }
        figures = FleetCounters(span: fleet.span)
        chance = SeededRandomStream(seed: fleet.seed ^ 0xF1EE_7000)
    }

    /// Runs the simulation to its end.
    ///
    /// - Parameter progress: Receives now and then the simulated time so far, as a share of all.
    /// - Returns: The results of the policy.
    package consuming func run(progress: (Double) -> Void = { _ in }) -> FleetOutcome {
        for device in devices.indices { enterBackground(device, at: 0) }
        var events = 0
        while let (device, time) = wheel.next() {
            events += 1
            if events.isMultiple(of: 10_000) { progress(Double(time) / Double(max(1, fleet.span))) }
            switch devices[device].event {
            case .open, .request: request(device, at: time)
            case .timer, .retry: attempt(device, at: time)
            }
        }
        return FleetOutcome(policy: policy, incident: incident, figures: figures, devices: devices)
    }

    // MARK: Visits

    /// Puts the app into the background until its user opens it.
    mutating func enterBackground(_ index: Int, at time: Int) {
        if devices[index].flags.contains(.isWaiting) {
            devices[index].flags.remove(.isWaiting)
            recordWait(index, until: time)
        }
        guard let next = visit(index, after: time) else { return }
        devices[index].visits += 1
        devices[index].visitEnd = Int32(clamping: next.end)
        devices[index].event = .open
        wheel.set(index, at: next.start)
    }

    private func visit(_ index: Int, after time: Int) -> Visit? {
        let device = devices[index]
        let drawn = fleet.visit(Int(device.visits), of: index, device.user, after: time)
        guard let push, time < incident.time.lowerBound + push.within,
            let delay = fleet.delay(afterPushOf: index, share: push.share, within: push.within)
        else { return drawn }
        let start = incident.time.lowerBound + delay
        guard start > time, start < drawn?.start ?? .max else { return drawn }
        return Visit(start: start, end: min(start + Self.pushedVisit, fleet.span))
    }

    /// The duration of a visit after a push notification: 20 minutes, so that these users also refresh again at the
    /// same time.
    private static let pushedVisit = 1_200_000

    // MARK: Requests

    /// Simulates an API request of the app in the foreground.
    private mutating func request(_ index: Int, at time: Int) {
        let device = devices[index]
        guard time < Int(device.usableUntil) else { return requestToken(index, at: time, isRefused: false) }
        guard let refusals, refusals.contains(time) else { return scheduleNext(index, at: time) }
        // A token that was just obtained by a refresh after a 401 is refused for a reason other than its age.
        if device.flags.contains(.isFromRefusal), time - Int(device.askedAt) < floor(of: device) {
            return scheduleNext(index, at: time)
        }
        requestToken(index, at: time, isRefused: true)
    }

    private func floor(of device: SimulatedDevice) -> Int {
        guard let schedule = policy.schedule else { return 0 }
        return Int(schedule.minimumInterval(lifetime: .milliseconds(Int(device.lifetime))).milliseconds)
    }

    /// Requests a token for a caller, or a new one after a 401.
    private mutating func requestToken(_ index: Int, at time: Int, isRefused: Bool) {
        devices[index].waitingSince = Int32(time)
        devices[index].flags.insert(.isWaiting)
        if isRefused { devices[index].flags.insert(.isRefused) } else { devices[index].flags.remove(.isRefused) }
        switch policy.retry {
        case .atOnce:
            devices[index].failures = 0
            attempt(index, at: time)
        case .backoff(_, let isRemembered):
            if !isRemembered { forgetFailures(index) }
            let start = max(time, Int(devices[index].pausedUntil), Int(devices[index].retryAfterUntil))
            guard start <= time + callerTimeout else {
                giveUp(index, at: time)
                return scheduleNext(index, at: time)
            }
            start > time ? set(index, .retry, at: start) : attempt(index, at: time)
        }
    }

    /// Chooses the next event of a device without a waiting caller.
    mutating func scheduleNext(_ index: Int, at time: Int) {
        let device = devices[index]
        let usableUntil = Int(device.usableUntil)
        let pause = Int(device.user.usage.requestInterval * chance.exponential()) + 1
        // Requests with a valid token cause no refresh, so they have no event unless they are refused.
        var next = (event: SimulatedDevice.Event.request, time: max(time, usableUntil) + pause)
        if let refusals, time < refusals.upperBound {
            let refused = max(time, refusals.lowerBound) + pause
            if refused < min(refusals.upperBound, next.time) { next.time = refused }
        }
        if policy.schedule != nil {
            let due = max(
                time,
                Int(max(device.dueAt, device.pausedUntil, device.retryAfterUntil, device.backgroundPausedUntil))
            )
            if due < min(usableUntil, next.time) { next = (.timer, due) }
        }
        set(index, next.event, at: next.time)
    }

    /// Schedules the next event, or the end of the visit if that is earlier.
    mutating func set(_ index: Int, _ event: SimulatedDevice.Event, at time: Int) {
        let visitEnd = Int(devices[index].visitEnd)
        guard time < visitEnd else { return enterBackground(index, at: visitEnd) }
        devices[index].event = event
        wheel.set(index, at: time)
    }
}
