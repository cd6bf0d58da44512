// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetWire
import Hummingbird

/// The endpoints of liveness and readiness.
struct HealthRoutes: Sendable {
    let database: any ServerDatabase

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.live) { _, _ in .json(["status": "ok"]) }
        table.on(.get, NativePath.ready) { [database] _, _ in
            do {
                _ = try await database.read {
                    try $0.has("SELECT 1 FROM sessions LIMIT 1")
                }
            } catch {
                throw APIError(.unavailable, "the database does not answer")
            }
            return .json(["status": "ok"])
        }
    }
}
