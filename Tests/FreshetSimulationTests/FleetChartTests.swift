// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetSimulation

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct `The fleet's report` {
    private let report: FleetReport

    init() {
        let fleet = Fleet(devices: 200, hours: 8, seed: 3)
        let incident = Incident(.badDeploy, in: fleet.span)
        let outcomes = FleetPolicy.all().map { FleetSimulation(fleet, incident, $0, capacity: 10).run() }
        report = FleetReport(fleet, incident, capacity: 10, outcomes)
    }

    @Test func `a fleet chart has a line and a sample for each policy and is well-formed XML`() throws {
        let svg = FleetChart(report).svg
        for policy in FleetPolicy.all() {
            #expect(svg.components(separatedBy: "class=\"line \(policy.name)\"").count == 3)
        }
        #expect(!svg.contains("nan") && !svg.contains("inf"))
        #expect(svg.contains("prefers-color-scheme:dark"))
        let parser = XMLParser(data: Data(svg.utf8))
        #expect(parser.parse())
    }

    @Test func `a fleet report has a row for each policy and each time, and encodes all figures as JSON`() throws {
        let table = FleetTable(report)
        #expect(table.figures.count == 6)
        #expect(Set(table.figures.map(\.count)).count == 1)
        #expect(table.rates.count == 13)
        let data = try JSONEncoder().encode(report)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let policies = try #require(object["policies"] as? [[String: Any]])
        #expect(policies.count == 5)
        #expect(policies.allSatisfy { ($0["rates"] as? [Double])?.count == 480 && $0["signed_out"] as? Int == 0 })
    }

    @Test func `a fleet report formats numbers and times in a readable form`() {
        #expect(FleetText.count(1_234_567) == "1,234,567")
        #expect(FleetText.count(-1000) == "-1,000")
        #expect(FleetText.decimal(12.34) == "12.3")
        #expect(FleetText.decimal(1234.5) == "1,235" || FleetText.decimal(1234.5) == "1,234")
        #expect(FleetText.point(-0.04) == "0")
        #expect(FleetText.time(42 * 3600 + 360) == "42:06")
    }
}
