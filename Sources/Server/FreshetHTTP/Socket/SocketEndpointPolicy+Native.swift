// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract
import FreshetWire

extension SocketEndpointPolicy {
    /// The native socket (PROTOCOL.md, "Socket").
    package static func native() throws(Template.Fault) -> SocketEndpointPolicy {
        let message = JSONTemplate.object([
            (name: "type", value: .constant(.string("auth"))),
            (name: "access_token", value: .text(try Template("$access_token"))),
        ])
        return SocketEndpointPolicy(
            pattern: RoutePattern(path: NativePath.socket),
            tokenLocations: [
                .header("Authorization", scheme: "Bearer"), .subprotocol(try Template("bearer.$access_token")),
                .message(message),
            ],
            renewal: message,
            subprotocol: "freshet.v1",
            sendsSessionEvents: true,
            codes: CloseCodes(expired: 4401, foreign: 4403, late: 4408, ended: 4410, tooMany: 4429)
        )
    }
}
