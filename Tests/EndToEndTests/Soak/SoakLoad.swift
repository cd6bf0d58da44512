// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import NIOConcurrencyHelpers

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Many sessions that call their backends at random times, through relays that drop and hold responses to refreshes.
///
/// Its pauses are the pace of users, faults and retries; no check waits for time.
final class SoakLoad: Sendable {
    /// The results of all calls so far.
    struct Counts {
        var answered = 0
        var failed = 0
    }

    /// A session, and the resource that it requests.
    private struct Client {
        let session: AuthSession
        let resource: URLRequest
    }

    /// The longest pause between two calls of a session: an access token of a minute expires within a few calls.
    private static let pause = 60.0
    private static let signUpsAtATime = 16

    private let networks: [FaultyNetwork]
    private let clients: [Client]
    private let counts = NIOLockedValueBox(Counts())

    /// Signs up `count` sessions, evenly distributed over `networks`.
    init(_ count: Int, over networks: [FaultyNetwork]) async throws {
        self.networks = networks
        let transport = NIOTransport()
        var configuration = AuthSession.Configuration()
        configuration.networkMonitor = nil
        let clients = try (0..<count).map { number in
            let port = networks[number % networks.count].port
            guard let address = URL(string: "http://127.0.0.1:\(port)") else { throw CocoaError(.fileNoSuchFile) }
            return Client(
                session: try AuthSession(
                    baseURL: address,
                    store: InMemoryStore(),
                    configuration: configuration,
                    transport: transport
                ),
                resource: URLRequest(url: address.appending(path: "v1/me"))
            )
        }
        self.clients = clients
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<Self.signUpsAtATime {
                group.addTask {
                    for number in stride(from: first, to: count, by: Self.signUpsAtATime) {
                        try await Self.signUp(clients[number].session, "soak\(number)@example.com")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Signs up, again and again while the servers are too busy to hash a password.
    private static func signUp(_ session: AuthSession, _ email: String) async throws {
        let password = "correct horse"
        while true {
            do throws(SessionError) {
                try await session.signUp(email: email, password: password)
                return
            } catch {
                switch error {
                case .offline(let delay, _): try await Task.sleep(for: delay ?? .seconds(1))
                // The response to the attempt before came too late.
                case .refused("conflict", _):
                    try await session.signIn(.password(email: email, password: password))
                    return
                default: throw error
                }
            }
        }
    }

    var now: Counts { counts.withLockedValue { $0 } }

    var signedOut: Int { clients.count { !$0.session.state.isSignedIn } }

    /// Runs the sessions and the faults until `body` returns.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await self.call(client) } }
            group.addTask { await self.fail() }
            defer { group.cancelAll() }
            try await body()
        }
        for network in networks { network.setFaultMode(.passThrough) }
    }

    /// The sessions that cannot be refreshed while everything works.
    func unusable() async -> Int {
        var count = 0
        for client in clients where (try? await client.session.refresh()) == nil { count += 1 }
        return count
    }

    /// Signs one session out from elsewhere, which the soak has to notice.
    func signOneOut() async throws {
        try await clients[0].session.endSession(id: clients[0].session.status.sessionID ?? "")
    }

    private func call(_ client: Client) async {
        while (try? await Task.sleep(for: .seconds(.random(in: 0...Self.pause)))) != nil {
            let status = try? await client.session.data(for: client.resource).1.statusCode
            guard !Task.isCancelled else { return }
            counts.withLockedValue { counts in
                if status == 200 { counts.answered += 1 } else { counts.failed += 1 }
            }
        }
    }

    /// Each ten seconds: a relay drops eight responses after their commits, or holds all for two seconds.
    private func fail() async {
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            guard let network = networks.randomElement() else { return }
            guard Bool.random() else {
                network.setFaultMode(.dropping(8))
                continue
            }
            network.setFaultMode(.holding)
            try? await Task.sleep(for: .seconds(2))
            network.setFaultMode(.passThrough)
        }
    }
}
