// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

extension Fixtures {
    /// A token of 600 s that was asked for at `seconds`.
    static func socketToken(_ generation: UInt64, at seconds: Double = 0, of session: String = "s1") -> SocketToken {
        SocketToken(live(generation, at: seconds), of: session)
    }
}

extension Contract {
    /// The native contract with this socket, or none, and with these rules for it alone.
    static func native(socket: String?, rules: [String] = []) throws -> Contract {
        let text = Contract.freshet.text
        var document = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let own =
            try JSONSerialization.jsonObject(with: Data("[\(rules.joined(separator: ","))]".utf8)) as? [[String: Any]]
        let others = try #require(document["classify"] as? [[String: Any]]).filter { $0["on"] as? String != "socket" }
        document["classify"] = try #require(own) + others
        document["socket"] = try socket.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
        return try Contract(json: JSONSerialization.data(withJSONObject: document, options: .sortedKeys))
    }
}

/// A session's socket whose server is the test.
struct SocketFixture {
    let bench = SessionFixture()
    let transport = ManualWebSocketTransport()
    let session: AuthSession
    var clock: TestClock { bench.clock }
    var backend: TestBackend { bench.backend }

    /// Starts with a signed-in user and a token of 600 s; the contract has no socket.
    init(
        _ configuration: AuthSession.Configuration = AuthSession.Configuration(),
        store: any SessionStore = InMemoryStore()
    )
        async throws
    {
        var bench = bench
        bench.configuration = configuration
        session = try bench.session(contract: .native(socket: nil), store: store)
        try await session.signIn(.test)
    }

    func socket(_ adjust: (inout SocketConfiguration) -> Void = { _ in }) throws -> SessionSocket {
        var configuration = SocketConfiguration()
        configuration.pingInterval = nil
        adjust(&configuration)
        let url = try Fixtures.url("wss://api.example.com/feed")
        return try session.socket(url, configuration: configuration, transport: transport)
    }
}

extension SessionSocket {
    /// Waits for a state.
    func until(_ isMeant: (SocketState) -> Bool) async {
        for await state in states where isMeant(state) { return }
    }

    func untilOpen(_ connection: Int = 1) async { await until { $0 == .open(connection: connection) } }

    func untilClosed() async -> SocketCloseReason? {
        for await state in states { if case .closed(let end) = state { return end } }
        return nil
    }

    func untilWaiting() async -> SocketInterruption? {
        for await state in states { if case .waiting(_, let interruption) = state { return interruption } }
        return nil
    }
}
