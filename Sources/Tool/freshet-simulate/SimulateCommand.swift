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
        abstract: "Simulates a fleet of devices, and compares refresh policies.",
        discussion: """
            Simulates the refreshes of each device over some days, once for each policy: that of the SDK and the \
            server, and simpler ones. It sends no requests. The same options give the same output.

            Scenarios. The incident begins after seven eighths of the simulated time; day and skew last for all of it:
            \(list(Scenario.allCases.map { ($0.rawValue, $0.summary) }))

            Policies. Each adds to the one before it:
            \(list(FleetPolicy.all().map { ($0.name, $0.summary) }))

            Columns: attempts are all requests to refresh, refreshes the successful ones, wasted the others. Peak \
            after is the highest rate after the incident. Drained is the time from the end of the incident until the \
            rate is less than a quarter above that before it. The last three columns count users. Times are in UTC.

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

    @Option(help: "A policy to run; may be repeated (default: all).")
    var policy: [String] = []

    @Option(help: "The number of devices.")
    var devices = 10_000

    @Option(help: "The number of simulated hours, from midnight UTC.")
    var hours = 48

    @Option(help: "The random seed.")
    var seed: UInt64 = 1

    @Option(help: "The server's capacity in refreshes per second (default: the number of devices / 2000).")
    var capacity: Double?

    @Option(help: ArgumentHelp("The duration of the incident.", valueName: "time"), transform: Duration.timeout)
    var length: Duration?

    @Option(help: ArgumentHelp("The lifetime of access tokens.", valueName: "time"), transform: Duration.timeout)
    var accessTTL: Duration?

    @Option(help: "The largest share of the lifetime that the server takes off at random.")
    var jitter: Double?

    @Option(
        help: ArgumentHelp("The time before its expiry at which a token is refreshed.", valueName: "time"),
        transform: Duration.length
    )
    var refreshBefore: Duration?

    @Option(
        help: ArgumentHelp("The longest pause between two attempts.", valueName: "time"),
        transform: Duration.timeout
    )
    var longestPause: Duration?

    @Option(
        help: ArgumentHelp("A token younger than this is not refreshed again after a 401.", valueName: "time"),
        transform: Duration.length
    )
    var minimumInterval: Duration?

    @Option(
        help: ArgumentHelp("The largest Retry-After of an overloaded server.", valueName: "time"),
        transform: Duration.timeout
    )
    var retryAfter: Duration?

    @Option(help: ArgumentHelp("Write a chart of the rate over time to this SVG file.", valueName: "file"))
    var svg: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...Self.mostDevices).contains(devices) else {
            throw ValidationError("--devices must be between 1 and \(Self.mostDevices)")
        }
        guard (8...336).contains(hours) else { throw ValidationError("--hours must be between 8 and 336") }
        if let capacity, !(0.1...10_000_000).contains(capacity) {
            throw ValidationError("--capacity must be between 0.1 and 10000000")
        }
        if let jitter, !(0...0.5).contains(jitter) { throw ValidationError("--jitter must be between 0 and 0.5") }
        if let accessTTL, !(.seconds(60)...(.seconds(86_400))).contains(accessTTL) {
            throw ValidationError("--access-ttl must be between 1m and 1d")
        }
        if let refreshBefore, refreshBefore > .seconds(86_400) {
            throw ValidationError("--refresh-before must be at most 1d")
        }
        if let longestPause, longestPause > .seconds(3600) {
            throw ValidationError("--longest-pause must be at most 1h")
        }
        if let minimumInterval, minimumInterval > .seconds(86_400) {
            throw ValidationError("--minimum-interval must be at most 1d")
        }
        if let retryAfter, !(.seconds(1)...(.seconds(3600))).contains(retryAfter) {
            throw ValidationError("--retry-after must be between 1s and 1h")
        }
        if let length {
            guard scenario.usualLength != nil else {
                throw ValidationError("--length does not apply to \(scenario.rawValue), which lasts until the end")
            }
            guard length < .seconds(hours * 3600 / 8) else {
                throw ValidationError("--length must be less than an eighth of the \(hours) hours")
            }
        }
        for name in policy where !FleetPolicy.all().contains(where: { $0.name == name }) {
            let known = FleetPolicy.all().map(\.name).joined(separator: ", ")
            throw ValidationError("there is no policy '\(name)'; there are \(known)")
        }
    }

    /// The maximum number of devices.
    ///
    /// A device takes about eighty bytes, and one policy per core runs at the same time.
    private static let mostDevices = 10_000_000

    /// Runs the command, and exits with a message and an exit code if it fails.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit(withError: Output.exitCode(.success))
        } catch {
            exitReporting(error)
        }
    }

    func run() async throws {
        let chart = svg.map { URL(filePath: $0) }
        // Checked before the run, which takes a minute for a large fleet.
        if let chart, !FileManager.default.isWritableFile(atPath: chart.deletingLastPathComponent().path) {
            throw ValidationError("\(chart.relativePath): cannot be written")
        }
        let shares = Shares(policies.count)
        let report = await ProgressLine.during({ "simulated \(shares.percent) %" }) { _ in
            await self.report(shares)
        }
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

    private func report(_ shares: Shares) async -> FleetReport {
        let fleet = Fleet(devices: devices, hours: hours, seed: seed)
        let incident = Incident(scenario, in: fleet.span, length: length.map { Int($0 / .milliseconds(1)) })
        let capacity = capacity ?? max(0.1, Double(devices) / 2000)
        let outcomes = await withTaskGroup(of: (Int, FleetOutcome).self) { group in
            for (number, policy) in policies.enumerated() {
                group.addTask {
                    let simulation = FleetSimulation(fleet, incident, policy, capacity: capacity)
                    return (number, simulation.run { shares.set($0, of: number) })
                }
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
        if let refreshBefore { parts.refreshPolicy.refreshBefore = refreshBefore }
        if let minimumInterval { parts.refreshPolicy.minimumInterval = minimumInterval }
        if let retryAfter { parts.waits = 1...Int(retryAfter / .seconds(1)) }
        if let longestPause { parts.refreshPolicy.backoff.limit = longestPause }
        return FleetPolicy.all(parts).filter { policy.isEmpty || policy.contains($0.name) }
    }
}

extension Scenario: ExpressibleByArgument {}
