// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The native WebSocket.
    static let socket = OpenAPISection(operations: socketOperations, schemas: [])

    private static let socketOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get,
            path: NativePath.socket,
            id: "openSocket",
            summary: "A WebSocket (RFC 6455); it closes within a second of its session's end.",
            answers: [
                .ok(nil, "The socket is open.", status: 101), .error(400, "The handshake is incomplete."),
                .error(401, "The access token is invalid."), .error(403, "The page's origin may not open sockets."),
                .error(426, "The request is not a WebSocket handshake."), .error(429, "There are too many sockets."),
            ]
        )
    ]
}
