// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import FreshetSimulation

@Suite(.timeLimit(.minutes(5)))
struct `A simulated fleet` {
    private static let names = ["none", "jitter", "spread", "retry-after", "freshet"]

    private func run(
        _ scenario: Scenario,
        _ policy: String,
        devices: Int = 1000,
        seed: UInt64 = 1,
        capacity: Double? = nil
    ) throws -> FleetOutcome {
        let fleet = Fleet(devices: devices, hours: 48, seed: seed)
        let policy = try #require(FleetPolicy.all().first { $0.name == policy })
        let incident = Incident(scenario, in: fleet.span)
        return FleetSimulation(fleet, incident, policy, capacity: capacity ?? Double(devices) / 2000).run()
    }

    @Test func `a fleet simulation returns equal results for equal seeds and different results otherwise`() throws {
        let (first, again) = (try run(.outage, "freshet"), try run(.outage, "freshet"))
        #expect(first.series == again.series)
        #expect(first.refreshesByDevice == again.refreshesByDevice)
        #expect(first.errors == again.errors)
        #expect(try run(.outage, "freshet", seed: 2).series != first.series)
    }

    @Test(arguments: names)
    func `a fleet simulation counts every attempt`(policy: String) throws {
        for scenario in [Scenario.outage, .badDeploy, .overload] {
            let outcome = try run(scenario, policy, devices: 300)
            #expect(outcome.series.reduce(0) { $0 + Int($1) } == outcome.attempts)
            #expect(outcome.refreshesByDevice.reduce(0) { $0 + Int($1) } == outcome.refreshes)
            #expect(outcome.refreshes > 300 && outcome.refreshes < outcome.attempts)
            #expect(outcome.unavailable <= outcome.wasted)
        }
    }

    @Test func `a simulated device refreshes as often as its foreground time requires, with an upper limit`() throws {
        let fleet = Fleet(devices: 1000, hours: 48, seed: 1)
        let outcome = try run(.day, "freshet", capacity: 1000)
        for device in 0..<fleet.devices {
            let user = fleet.user(of: device)
            var (time, number, foreground) = (0, 0, 0)
            while let visit = fleet.visit(number, of: device, user, after: time) {
                #expect(visit.start >= time && visit.end > visit.start)
                (time, number, foreground) = (visit.end, number + 1, foreground + visit.end - visit.start)
            }
            let refreshes = Int(outcome.refreshesByDevice[device])
            // No token lives longer than ten minutes, and none is refreshed in its first 432 seconds.
            #expect(refreshes * 600_000 + number * 1000 >= foreground)
            #expect(refreshes <= number + foreground / 432_000)
        }
        #expect(outcome.wasted == 0 && outcome.errors == 0 && outcome.usersWhoWaited == 0)
    }

    @Test func `jitter spreads the second refreshes of a fleet that starts at the same time`() throws {
        func secondWave(_ policy: String) throws -> Int {
            let fleet = Fleet(devices: 2000, hours: 48, seed: 1)
            let rules = try #require(FleetPolicy.all().first { $0.name == policy })
            let push = Incident(.push, in: fleet.span, length: 10_000)
            let outcome = FleetSimulation(fleet, push, rules, capacity: 2000).run()
            let start = 42 * 3600
            #expect(outcome.series[start..<start + 60].reduce(0) { $0 + Int($1) } > 150)
            // The second refresh of those who came, in steps of ten seconds.
            return stride(from: start + 300, to: start + 900, by: 10).map { step in
                outcome.series[step..<step + 10].reduce(0) { $0 + Int($1) }
            }.max() ?? 0
        }
        let (none, spread) = (try secondWave("none"), try secondWave("freshet"))
        #expect(Double(none) >= 1.5 * Double(spread), "\(none) and \(spread)")
    }

    @Test func `a policy that remembers failures causes a lower peak and fewer wasted requests in an outage`() throws {
        let (none, freshet) = (try run(.outage, "none"), try run(.outage, "freshet"))
        #expect(Double(none.peakAfter) >= 1.3 * Double(freshet.peakAfter), "\(none.peakAfter), \(freshet.peakAfter)")
        #expect(Double(none.wasted) >= 1.3 * Double(freshet.wasted), "\(none.wasted) and \(freshet.wasted)")
    }

    @Test func `a policy that honours Retry-After wastes fewer requests on an overloaded server`() throws {
        // Long waits show it best: nobody has the patience for a second try.
        let fleet = Fleet(devices: 1000, hours: 48, seed: 1)
        var parts = FleetPolicy.Parts()
        parts.waits = 20...60
        let wasted = FleetPolicy.all(parts).filter { ["spread", "retry-after"].contains($0.name) }.map {
            FleetSimulation(fleet, Incident(.overload, in: fleet.span), $0, capacity: 0.5).run().wasted
        }
        #expect(wasted.count == 2 && wasted[1] < wasted[0])
    }

    @Test func `the Freshet policy signs no user out, while a plain client treats a 401 as a sign-out`() throws {
        for scenario in Scenario.allCases { #expect(try run(scenario, "freshet", devices: 300).signedOut == 0) }
        #expect(try run(.lockout, "none").signedOut > 10)
    }

    @Test func `wrong wall clocks cause extra refreshes only in clients that trust the wall clock`() throws {
        let (day, skew) = (try run(.day, "freshet", devices: 300), try run(.skew, "freshet", devices: 300))
        #expect(skew.series == day.series)
        let plain = try run(.day, "none", devices: 300, capacity: 300)
        #expect(try run(.skew, "none", devices: 300, capacity: 300).refreshes > plain.refreshes)
    }
}
