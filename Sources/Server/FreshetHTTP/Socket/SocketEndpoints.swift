// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import HummingbirdCore

/// The socket endpoints of this server.
package struct SocketEndpoints: Sendable {
    private var endpoints: [SocketEndpoint] = []

    package init() {
    }

    package mutating func add(_ endpoint: SocketEndpoint) { endpoints.append(endpoint) }

    /// Returns the endpoint at the path of a request.
    func endpoint(of head: HTTPRequest) -> SocketEndpoint? {
        let path = URI(head.path ?? "").path
        return endpoints.first { $0.policy.pattern.matches(path) }
    }
}
