// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The results of policies in one scenario.
package struct FleetReport: Sendable {
    package var fleet: Fleet
    package var incident: Incident
    /// The capacity of the server, in refreshes per second.
    package var capacity: Double
    package var outcomes: [FleetOutcome]

    package init(_ fleet: Fleet, _ incident: Incident, capacity: Double, _ outcomes: [FleetOutcome]) {
        self.fleet = fleet
        self.incident = incident
        self.capacity = capacity
        self.outcomes = outcomes
    }

    /// The range of seconds to show.
    var window: Range<Int> {
        let window = incident.window(in: fleet.span)
        return window.lowerBound / 1000..<window.upperBound / 1000
    }

    /// A description of the run, without a full stop.
    package var heading: String {
        let hours = FleetText.count(fleet.span / 3_600_000)
        let devices = FleetText.count(fleet.devices)
        let what = "\(devices) devices, \(hours) hours, \(FleetText.decimal(capacity)) refreshes a second: "
        guard !incident.time.isEmpty else { return what + incident.scenario.summary }
        let (start, end) = (incident.time.lowerBound / 1000, incident.time.upperBound / 1000)
        return what + incident.scenario.summary + ", from \(FleetText.time(start)) to \(FleetText.time(end))"
    }
}

extension FleetReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case devices, hours, seed, capacity, scenario, policies
        case troubleStart = "trouble_start"
        case troubleEnd = "trouble_end"
    }

    /// Encodes the parameters of the run and the results of each policy.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fleet.devices, forKey: .devices)
        try container.encode(fleet.span / 3_600_000, forKey: .hours)
        try container.encode(fleet.seed, forKey: .seed)
        try container.encode(capacity, forKey: .capacity)
        try container.encode(incident.scenario.rawValue, forKey: .scenario)
        if !incident.time.isEmpty {
            try container.encode(incident.time.lowerBound / 1000, forKey: .troubleStart)
            try container.encode(incident.time.upperBound / 1000, forKey: .troubleEnd)
        }
        try container.encode(outcomes, forKey: .policies)
    }
}
