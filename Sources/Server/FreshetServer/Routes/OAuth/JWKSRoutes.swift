// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoint of the public keys of access tokens (RFC 7517 section 5).
struct JWKSRoutes: Sendable {
    let keys: CurrentKeys

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.keySet) { [keys] _, _ in
            var response = Response.json(keys.current.keySet)
            response.headers[.cacheControl] = "public, max-age=300"
            return response
        }
    }
}
