// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

extension SocketRoutes {
    /// Adds the socket endpoint of a contract, with the contract's error responses.
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
