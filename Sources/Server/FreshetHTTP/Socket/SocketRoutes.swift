// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import Hummingbird

/// Answers plain requests to a socket endpoint, and handshakes that were refused.
package struct SocketRoutes: Sendable {
    package let endpoint: SocketEndpoint

    package init(endpoint: SocketEndpoint) { self.endpoint = endpoint }

    /// The native endpoint.
    package func add(to table: inout RouteTable) {
        table.on(.get, endpoint.policy.pattern.path) { request, _ in throw await endpoint.refusal(of: request.head) }
    }
}
