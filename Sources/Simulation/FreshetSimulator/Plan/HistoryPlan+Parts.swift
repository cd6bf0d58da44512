// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension HistoryPlan {
    /// The parts of the system that this history has beside those of every history.
    package var parts: [String] {
        var parts = ["\(processes.reduce(0, +)) processes"]
        if servers > 1 { parts.append("two servers") }
        if rotatesKeys { parts.append("key rotation") }
        if recordsMetrics { parts.append("metrics") }
        if usesConnections { parts.append("connections") }
        if hasOutbox { parts.append("outbox") }
        if let lifetimes { parts.append(lifetimes.idle == nil ? "short retention" : "short lifetimes") }
        if let app { parts.append("contract of \(app.rawValue)") }
        if hasFileStores { parts.append("file stores") }
        if tasksPerDelay > 0 { parts.append("delayed tasks") }
        if hasClockDrift { parts.append("clock drift") }
        if hasResourceServer { parts.append("resource server") }
        if hasSockets { parts.append("sockets") }
        if !olderClients.isEmpty { parts.append("older clients") }
        if oauth != nil { parts.append("OAuth library") }
        if foreign != nil { parts.append("foreign backend") }
        let sleeps = foreign?.actions.contains { $0.kind == .deviceSleep } ?? false
        if sleeps || actions.contains(where: { $0.action.kind == .deviceSleep }) { parts.append("sleep") }
        if actions.contains(where: { $0.action.kind == .slowStore }) { parts.append("slow store") }
        if hasNewerServers { parts.append("newer servers") }
        if hasOlderServers { parts.append("older servers") }
        if hasProductionLimits { parts.append("rate limits") }
        if throttledPerMille > 0 { parts.append("gateway") }
        return parts
    }
}
