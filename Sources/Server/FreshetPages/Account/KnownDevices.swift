// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// The devices in an account's history, including signed-out devices.
struct KnownDevices: Sendable {
    private struct Kind: Hashable {
        var platform: String?
        var model: String?
        var app: String?
    }

    private var rows: [SessionID: SessionRow] = [:]
    /// The sessions that were the first on a device of their kind.
    private var firsts: Set<SessionID> = []

    init(_ rows: [SessionRow]) {
        var seen: Set<Kind> = []
        for row in rows.sorted(by: { $0.createdAt < $1.createdAt }) {
            self.rows[row.id] = row
            let device = row.device
            let isFirst = seen.insert(
                Kind(platform: device.platform, model: device.model, app: device.app)
            ).inserted
            // The account's very first device is not reported as new.
            if isFirst && seen.count > 1 { firsts.insert(row.id) }
        }
    }

    func name(_ id: SessionID) -> String { rows[id]?.device.title ?? "A device" }

    func method(_ id: SessionID) -> String? { rows[id]?.signedInBy }

    /// Whether the session was the account's first on a device of its kind.
    func isNew(_ id: SessionID) -> Bool { firsts.contains(id) }
}
