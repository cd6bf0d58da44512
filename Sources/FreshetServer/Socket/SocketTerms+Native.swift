// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire

extension SocketTerms {
    /// The native socket (PROTOCOL.md, "Socket").
    static func native() throws(Template.Fault) -> SocketTerms {
        let message = JSONTemplate.object([
            (name: "type", value: .constant(.string("auth"))),
            (name: "access_token", value: .text(try Template("$access_token"))),
        ])
        return SocketTerms(
            pattern: RoutePattern(path: NativePath.socket),
            places: [
                .header("Authorization", scheme: "Bearer"), .subprotocol(try Template("bearer.$access_token")),
                .message(message),
            ],
            renewal: message,
            subprotocol: "freshet.v1",
            announces: true,
            codes: Codes(expired: 4401, foreign: 4403, late: 4408, ended: 4410, tooMany: 4429)
        )
    }
}
