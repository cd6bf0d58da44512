// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import Hummingbird

/// Responds to plain requests to a socket endpoint, and to refused handshakes.
package struct SocketRoutes: Sendable {
    package let endpoint: SocketEndpoint

    package init(endpoint: SocketEndpoint) { self.endpoint = endpoint }

    /// Adds the route of the endpoint.
    package func add(to table: inout RouteTable) {
        table.on(.get, endpoint.policy.pattern.path) { request, _ in throw await endpoint.refusal(of: request.head) }
    }
}
