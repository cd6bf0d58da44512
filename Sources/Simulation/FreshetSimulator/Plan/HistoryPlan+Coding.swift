// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetEngine

extension HistoryPlan {
    /// A plan as JSON; times are in milliseconds.
    private struct File: Codable {
        struct Fault: Codable {
            var fault: NetworkFault
            var perMille: Int
        }

        struct TimedAction: Codable {
            var time: Int64
            var action: Action.Kind
            var device: Int
            var process: Int
            var size: Int
        }

        var seed: UInt64
        var processes: [Int]
        var servers: Int
        var rotatesKeys: Bool
        var recordsMetrics: Bool
        var accessLifetime: Int64
        var recovery: Int64
        var usesConnections: Bool?
        var faults: [Fault]
        var actions: [TimedAction]
        var app: ServedApp?
        var hasProductionLimits: Bool?
        var throttledPerMille: Int?
        var hasNewerServers: Bool?
        var hasOlderServers: Bool?
        var hasFileStores: Bool?
        var tasksPerDelay: Int?
        var hasSockets: Bool?
        var hasClockDrift: Bool?
        var hasResourceServer: Bool?
        var olderClients: [OlderClient]?
        var lifetimes: SessionLifetimes?
        var foreign: ForeignPlan?
        var oauth: OAuthPlan?
    }

    /// The plan as JSON, which later versions of the simulator read.
    ///
    /// - Throws: An encoding error.
    package func json() throws -> Data {
        let file = File(
            seed: seed,
            processes: processes,
            servers: servers,
            rotatesKeys: rotatesKeys,
            recordsMetrics: recordsMetrics,
            accessLifetime: accessLifetime.milliseconds,
            recovery: recovery.milliseconds,
            usesConnections: usesConnections,
            faults: faults.perMille.map { File.Fault(fault: $0.fault, perMille: $0.rate) },
            actions: actions.map {
                let action = $0.action
                return File.TimedAction(
                    time: $0.time.milliseconds,
                    action: action.kind,
                    device: action.device,
                    process: action.process,
                    size: action.size
                )
            },
            app: app,
            hasProductionLimits: hasProductionLimits,
            throttledPerMille: throttledPerMille,
            hasNewerServers: hasNewerServers,
            hasOlderServers: hasOlderServers,
            hasFileStores: hasFileStores,
            tasksPerDelay: tasksPerDelay,
            hasSockets: hasSockets,
            hasClockDrift: hasClockDrift,
            hasResourceServer: hasResourceServer,
            olderClients: olderClients,
            lifetimes: lifetimes,
            foreign: foreign,
            oauth: oauth
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(file)
    }

    /// Reads a plan.
    ///
    /// - Throws: `DecodingError` if the plan is malformed, has a lifetime that is not positive, or names a device or process
    ///   that it does not have.
    package init(json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        let counts = file.processes
        let isValid =
            file.servers > 0 && !counts.isEmpty && counts.allSatisfy { $0 > 0 }
            && file.foreign?.isValid != false && file.lifetimes?.isValid != false
            && file.actions.allSatisfy { counts.indices.contains($0.device) && 0..<counts[$0.device] ~= $0.process }
        guard isValid else {
            let context = DecodingError.Context(
                codingPath: [],
                debugDescription: "a device or process is missing, or a lifetime is not positive"
            )
            throw DecodingError.dataCorrupted(context)
        }
        seed = file.seed
        processes = counts
        servers = file.servers
        rotatesKeys = file.rotatesKeys
        recordsMetrics = file.recordsMetrics
        accessLifetime = .milliseconds(file.accessLifetime)
        recovery = .milliseconds(file.recovery)
        usesConnections = file.usesConnections ?? false
        faults = NetworkFaultRates(file.faults.map { ($0.fault, $0.perMille) })
        app = file.app
        hasProductionLimits = file.hasProductionLimits ?? false
        throttledPerMille = file.throttledPerMille ?? 0
        hasNewerServers = file.hasNewerServers ?? false
        hasOlderServers = file.hasOlderServers ?? false
        hasFileStores = file.hasFileStores ?? false
        tasksPerDelay = file.tasksPerDelay ?? 0
        hasSockets = file.hasSockets ?? false
        hasClockDrift = file.hasClockDrift ?? false
        hasResourceServer = file.hasResourceServer ?? false
        olderClients = file.olderClients ?? []
        lifetimes = file.lifetimes
        foreign = file.foreign
        oauth = file.oauth
        actions = file.actions.map {
            let action = Action(kind: $0.action, device: $0.device, process: $0.process, size: $0.size)
            return PlannedAction(time: .milliseconds($0.time), action: action)
        }
    }
}
