// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints for machines: published keys, liveness and readiness.
struct HealthRoutes: Sendable {
    let keys: CurrentKeys
    let database: any ServerDatabase

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.keySet) { [keys] _, _ in
            var response = Response.json(keys.current.keySet)
            response.headers[.cacheControl] = "public, max-age=300"
            return response
        }
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
