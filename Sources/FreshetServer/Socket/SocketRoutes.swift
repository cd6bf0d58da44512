// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import Hummingbird

/// Answers whoever came to a door as a plain request, or was not let in.
struct SocketRoutes: Sendable {
    let door: SocketDoor

    /// The native door.
    func add(to table: inout RouteTable) {
        table.on(.get, door.terms.pattern.path) { request, _ in throw await door.refusal(of: request.head) }
    }

    /// A dialect's door, which has the dialect's words.
    func add(to table: inout RouteTable, _ answers: DialectAnswers) {
        table.on(.get, door.terms.pattern.path) { request, context in
            let error = await door.refusal(of: request.head)
            guard var refusal = answers.refusal(error, at: nil, context.id) else { throw error }
            if error.code == .invalidToken, let status = door.terms.refusalStatus {
                refusal.status = HTTPResponse.Status(code: status)
            }
            return refusal
        }
    }
}
