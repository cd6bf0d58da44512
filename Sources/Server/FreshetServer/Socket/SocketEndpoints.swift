// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import HummingbirdCore

/// All the paths of this server that are sockets.
struct SocketEndpoints: Sendable {
    private var endpoints: [SocketEndpoint] = []

    mutating func add(_ endpoint: SocketEndpoint) { endpoints.append(endpoint) }

    /// The endpoint at the path of a request.
    func endpoint(of head: HTTPRequest) -> SocketEndpoint? {
        let path = URI(head.path ?? "").path
        return endpoints.first { $0.policy.pattern.matches(path) }
    }
}
