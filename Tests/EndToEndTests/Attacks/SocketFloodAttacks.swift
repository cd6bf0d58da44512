// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Sockets that take places and never say whose they are.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks by sockets without a token` {
    @Test func `a WebSocket that sends its token in a message is accepted during a flood without tokens`() async throws
    {
        try await Attack.run("a thousand sockets without a token") { server in
            let grant = try await server.send(
                "POST",
                "/v1/signup",
                json: ["email": "ann@example.com", "password": "correct horse"]
            )
            let token = try #require(grant.string("access_token"))
            let peers = try (0..<1000).map { _ in try UnresponsivePeer(port: server.port) }
            for peer in peers { peer.send(RawClient.socketHandshake()) }
            // The oldest make room for the newest, and are told so.
            try await peers[0].closed()
            let ready = try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.send(RawClient.socketHandshake())
                let response = try await conversation.response()
                try #require(response.status == 101, "\(response.head)")
                let message = Array("{\"type\":\"auth\",\"access_token\":\"\(token)\"}".utf8)
                try await conversation.sendFrame(message)
                return try await conversation.text(containing: "\"type\":\"ready\"")
            }
            try #require(ready)
            withExtendedLifetime(peers) {}
        }
    }
}
