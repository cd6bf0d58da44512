// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

/// Requests whose end two readers could see in two places.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks by request smuggling` {
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 6",
        "Transfer-Encoding: chunked, identity", "Content-Length: +5",
    ])
    func `a request with an ambiguous length is refused and its connection closed`(fields: String) async throws {
        let name = fields.replacing("\r\n", with: ", ")
        try await Attack.run("request smuggling by \(name)") { server in
            let answer = try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.send(
                    "POST /v1/refresh HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n0\r\n\r\n"
                        + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                return try await conversation.readToEnd()
            }
            try #require(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 501 "), "\(answer)")
            try #require(!answer.contains("HTTP/1.1 200 "))
        }
    }
}
