// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetServer

extension TestHTTPClient {
    /// A new connection to the server.
    func connect() async throws -> SocketClient { try await SocketClient.connect(try #require(port)) }

    /// A native socket that is open, by a token in the header, behind its first word.
    func socket(_ token: String) async throws -> SocketClient {
        let client = try await connect()
        let answer = try await client.open(NativePath.socket, ["Authorization": "Bearer \(token)"])
        try #require(answer.status == 101, "\(answer)")
        let ready = await client.next()
        guard case .text(let text) = ready, text.contains(#""type":"ready""#) else {
            throw SocketFault(text: "\(ready)")
        }
        return client
    }

    /// A socket of a contract that is open; it has no first word, so it is waited for where the server logs it.
    func socket(at path: String, _ fields: [String: String] = [:]) async throws -> SocketClient {
        let messages = log.messagesFromNow()
        let client = try await connect()
        let answer = try await client.open(path, fields)
        try #require(answer.status == 101, "\(answer)")
        for await message in messages where message == "socket opened" { break }
        return client
    }
}

struct SocketFault: Error { var text: String }

extension SocketClient.Event {
    /// The member of a text that is a JSON object.
    func value(_ name: String) -> JSONValue? {
        guard case .text(let text) = self else { return nil }
        return (try? JSONParser.parse(text.utf8))?.object?[name]
    }
}
