// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit
import FreshetSimulation

/// The `freshet-simulate` program, which simulates the refreshes of a fleet by policy.
@main
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freshet-simulate",
        abstract: "Simulates a fleet of devices, and compares policies of refreshing.",
        discussion: """
            Runs every device's refreshes over some days, event by event, with the rules that the SDK and the server \
            have, and with less than that. Nothing is sent anywhere. The same options give the same output.

            Scenarios, of which all but day and skew begin after seven eighths of the time:
            \(list(Scenario.allCases.map { ($0.rawValue, $0.summary) }))

            Policies, each with what the one before has:
            \(list(FleetPolicy.all().map { ($0.name, $0.summary) }))

            Columns: refreshes brought a token, attempts are all that were sent, wasted those that brought none. \
            Peak after is that of the time after the incident. Drained tells for how long after it the rate stayed a \
            quarter above what it had been before. The last three count users. Times are those of Greenwich.

            Example:
              freshet-simulate --scenario outage --devices 1000000 --svg outage.svg
            """
    )

    private static func list(_ rows: [(name: String, text: String)]) -> String {
        rows.map { "  \($0.name)\(String(repeating: " ", count: max(1, 13 - $0.name.count)))\($0.text)" }
            .joined(separator: "\n")
    }

    @Option(help: "The incident to simulate.")
    var scenario = Scenario.outage

    @Option(help: "A policy to run; may be repeated. Left out, all are compared.")
    var policy: [String] = []

    @Option(help: "How many devices.")
    var devices = 10_000

    @Option(help: "How many hours, from midnight at Greenwich.")
    var hours = 48

    @Option(help: "The random seed.")
    var seed: UInt64 = 1

    @Option(help: "How many refreshes a second the server answers. Left out, a two thousandth of the devices.")
    var capacity: Double?

    @Option(help: ArgumentHelp("How long the incident lasts.", valueName: "time"), transform: Duration.timeout)
    var length: Duration?

    @Option(help: ArgumentHelp("How long access tokens live.", valueName: "time"), transform: Duration.timeout)
    var accessTTL: Duration?

    @Option(help: "How much of that the server takes off by chance, as a share.")
    var jitter: Double?

    @Option(
        help: ArgumentHelp("How early a token is refreshed at most.", valueName: "time"),
        transform: Duration.length
    )
    var leeway: Duration?

    @Option(
        help: ArgumentHelp("The longest pause between two attempts.", valueName: "time"),
        transform: Duration.timeout
    )
    var longestPause: Duration?

    @Option(
        help: ArgumentHelp("How young a token must be for a refresh after a 401 to be left out.", valueName: "time"),
        transform: Duration.length
    )
    var minimumInterval: Duration?

    @Option(
        help: ArgumentHelp("The longest wait that a full server asks for.", valueName: "time"),
        transform: Duration.timeout
    )
    var retryAfter: Duration?

    @Option(help: ArgumentHelp("Where a chart of the rate over time is written.", valueName: "file"))
    var svg: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...Self.mostDevices).contains(devices) else {
            throw ValidationError("--devices is from 1 to \(Self.mostDevices)")
        }
        guard (8...336).contains(hours) else { throw ValidationError("--hours is from 8 to 336") }
        if let capacity, !(0.1...10_000_000).contains(capacity) {
            throw ValidationError("--capacity is from 0.1 to 10000000")
        }
        if let jitter, !(0...0.5).contains(jitter) { throw ValidationError("--jitter is a share from 0 to 0.5") }
        if let accessTTL, !(.seconds(60)...(.seconds(86_400))).contains(accessTTL) {
            throw ValidationError("--access-ttl is from 1m to 1d")
        }
        if let leeway, leeway > .seconds(86_400) { throw ValidationError("--leeway is 1d at most") }
        if let longestPause, longestPause > .seconds(3600) { throw ValidationError("--longest-pause is 1h at most") }
        if let minimumInterval, minimumInterval > .seconds(86_400) {
            throw ValidationError("--minimum-interval is 1d at most")
        }
        if let retryAfter, !(.seconds(1)...(.seconds(3600))).contains(retryAfter) {
            throw ValidationError("--retry-after is from 1s to 1h")
        }
        if let length {
            guard scenario.usualLength != nil else {
                throw ValidationError("--length says nothing about \(scenario.rawValue), which has no end")
            }
            guard length < .seconds(hours * 3600 / 8) else {
                throw ValidationError("--length is less than an eighth of the \(hours) hours")
            }
        }
        for name in policy where !FleetPolicy.all().contains(where: { $0.name == name }) {
            let known = FleetPolicy.all().map(\.name).joined(separator: ", ")
            throw ValidationError("there is no policy '\(name)'; there are \(known)")
        }
    }

    /// The maximum number of devices.
    ///
    /// A device takes some eighty bytes, and as many policies run at once as there are cores.
    private static let mostDevices = 10_000_000

    func run() async throws {
        let chart = svg.map { URL(filePath: $0) }
        // Checked before the run, which takes a minute for a large fleet.
        if let chart, !FileManager.default.isWritableFile(atPath: chart.deletingLastPathComponent().path) {
            throw ValidationError("\(chart.relativePath): cannot be written")
        }
        let report = await report()
        if let chart {
            do { try Data(FleetChart(report).svg.utf8).write(to: chart, options: .atomic) } catch {
                throw ValidationError("\(chart.relativePath): cannot be written")
            }
        }
        if json { return try Output.json(report) }
        let table = FleetTable(report)
        Output.line(report.heading + ".\n")
        table.figures.forEach(Output.line)
        Output.line("\nAttempts a second:\n")
        table.rates.forEach(Output.line)
    }

    private func report() async -> FleetReport {
        let fleet = Fleet(devices: devices, hours: hours, seed: seed)
        let incident = Incident(scenario, in: fleet.span, length: length.map { Int($0 / .milliseconds(1)) })
        let capacity = capacity ?? max(0.1, Double(devices) / 2000)
        let outcomes = await withTaskGroup(of: (Int, FleetOutcome).self) { group in
            for (number, policy) in policies.enumerated() {
                group.addTask { (number, FleetSimulation(fleet, incident, policy, capacity: capacity).run()) }
            }
            var outcomes: [(number: Int, outcome: FleetOutcome)] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes.sorted { $0.number < $1.number }.map(\.outcome)
        }
        return FleetReport(fleet, incident, capacity: capacity, outcomes)
    }

    private var policies: [FleetPolicy] {
        var parts = FleetPolicy.Parts()
        if let accessTTL { parts.lifetime = accessTTL }
        if let jitter { parts.spread = jitter }
        if let leeway { parts.configuration.leeway = leeway }
        if let minimumInterval { parts.configuration.minimumRefreshInterval = minimumInterval }
        if let retryAfter { parts.waits = 1...Int(retryAfter / .seconds(1)) }
        if let longestPause { parts.configuration.backoff.limit = longestPause }
        return FleetPolicy.all(parts).filter { policy.isEmpty || policy.contains($0.name) }
    }
}

extension Scenario: ExpressibleByArgument {}
