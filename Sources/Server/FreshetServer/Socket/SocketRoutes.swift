// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import Hummingbird

/// Answers whoever came to a endpoint as a plain request, or was not let in.
struct SocketRoutes: Sendable {
    let endpoint: SocketEndpoint

    /// The native endpoint.
    func add(to table: inout RouteTable) {
        table.on(.get, endpoint.policy.pattern.path) { request, _ in throw await endpoint.refusal(of: request.head) }
    }

    /// A contract's endpoint, which has the contract's words.
    func add(to table: inout RouteTable, _ answers: ContractResponses) {
        table.on(.get, endpoint.policy.pattern.path) { request, context in
            let error = await endpoint.refusal(of: request.head)
            guard var refusal = answers.refusal(error, at: nil, context.id) else { throw error }
            if error.code == .invalidToken, let status = endpoint.policy.refusalStatus {
                refusal.status = HTTPResponse.Status(code: status)
            }
            return refusal
        }
    }
}
