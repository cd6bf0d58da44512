// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

extension AuditEvent {
    /// Creates the audit record of a session's completed run of refreshes.
    package init(_ run: RefreshStreak, of row: SessionRow) {
        self.init(at: run.at, kind: .refresh)
        user = row.user
        session = row.id
        generation = run.generation
        source = run.source?.description
        client = row.device.client
        times = run.times
        since = run.times > 1 ? run.since : nil
    }
}

extension Device {
    /// App, version and platform in one short text.
    package var client: String? {
        let parts = [app, appVersion, platform].compactMap(\.self).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : String(parts.joined(separator: " ").prefix(100))
    }
}
