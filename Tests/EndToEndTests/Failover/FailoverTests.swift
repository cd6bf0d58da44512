// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire
import NIOConcurrencyHelpers
import PostgresCluster
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A PostgreSQL that dies under load, with a standby that has every durable commit and one that may be late.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Failover` {
    /// What Scripts/failover asks for; its load would starve tests that run beside it.
    static let wanted = Int(ProcessInfo.processInfo.environment["FRESHET_FAILOVERS"] ?? "") ?? 0
    static let rounds = Array(0..<wanted)
    private static let loyal = 64

    /// What is remembered of the time before and while the primary died.
    private struct History: Sendable {
        /// Sessions whose end was answered with success, by their last refresh token.
        var ended: [String] = []
        /// Refreshes that went well.
        var refreshed = 0
        /// Attempts that came to nothing for now.
        var failed = 0
    }

    /// The history, and whoever waits for it to come so far.
    private final class Chronicle: Sendable {
        private let history = NIOLockedValueBox(History())
        private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        var now: History { history.withLockedValue { $0 } }

        func note(_ change: (inout History) -> Void) {
            history.withLockedValue { change(&$0) }
            changes.continuation.yield()
        }

        func reach(_ isReached: (History) -> Bool) async {
            if isReached(now) { return }
            for await _ in changes.stream where isReached(now) { return }
        }
    }

    @Test(.enabled(if: wanted > 0, "Scripts/failover runs it"), arguments: rounds)
    func `of the primary signs nobody out, revives no ended session, and hides no fork`(round: Int) async throws {
        let primary = try PostgresCluster()
        defer { primary.stop() }
        let database = try primary.database()
        let heir = try PostgresCluster(following: primary, as: "heir")
        defer { heir.stop() }
        let late = try PostgresCluster(following: primary, as: "late")
        defer { late.stop() }
        try primary.wait(for: "heir")
        let hosts = [primary, heir, late].map(\.folder.path).joined(separator: ",")
        let address = database.replacing("host=\(primary.folder.path)", with: "host=\(hosts)")
        try await World.live(on: address) { world in
            var sessions: [Session] = []
            for number in 0..<Self.loyal { sessions.append(try await world.signedIn("user\(number)@example.com")) }
            let history = Chronicle()
            let isOver = NIOLockedValueBox(false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions {
                    group.addTask { await refresh(session, history, while: { !isOver.withLockedValue { $0 } }) }
                }
                group.addTask { await end(world, history, while: { !isOver.withLockedValue { $0 } }) }
                await history.reach { $0.refreshed >= 4 * Self.loyal && $0.ended.count >= 8 }
                try primary.shoot()
                try heir.promote()
                // Nobody was told of that: the server finds the host that takes writes.
                let before = history.now
                await history.reach {
                    $0.refreshed >= before.refreshed + 4 * Self.loyal && $0.ended.count >= before.ended.count + 4
                }
                isOver.withLockedValue { $0 = true }
                try await group.waitForAll()
            }
            for session in sessions {
                try await session.refresh()
                #expect(session.state == .active)
            }
            let raw = RawRequest(server: try world.address)
            let (ended, failed) = (history.now.ended, history.now.failed)
            for token in ended {
                let answer = try await raw.refresh(token, .random()).answer
                #expect(answer == RawRequest.Answer(status: 400, word: "logout"))
            }
            for _ in 0..<8 {
                let stolen = try await signUp(world)
                #expect(try await raw.refresh(stolen, .random()).answer.status == 200)
                #expect(try await raw.refresh(stolen, .random()).answer == RawRequest.Answer(status: 400, word: "fork"))
            }
            #expect(world.counts.ends.keys.sorted() == ["fork", "logout"])
            print(
                "round \(round): \(sessions.count) sessions went on, \(ended.count) stayed ended, \(failed) attempts failed"
            )
        }
    }

    /// Refreshes again and again; what cannot be done now can be done later, and anything final is a fault.
    private func refresh(
        _ session: Session,
        _ history: Chronicle,
        while goesOn: () -> Bool
    ) async {
        while goesOn() {
            do throws(SessionError) {
                try await session.refresh()
                history.note { $0.refreshed += 1 }
            } catch {
                guard case .offline = error else {
                    Issue.record(error)
                    return
                }
                history.note { $0.failed += 1 }
            }
            // The pace of the load: it leaves the machine something for those who end sessions.
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Signs up and out again and again, and remembers what was answered with success.
    private func end(_ world: World, _ history: Chronicle, while goesOn: () -> Bool) async {
        while goesOn() {
            if let token = try? await signUp(world) {
                let answer = try? await post(world, NativePath.logout, PresentedToken(refreshToken: token))
                if answer?.status == 204 { history.note { $0.ended.append(token) } }
            }
            // As above: a sign-up is dear.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private func signUp(_ world: World) async throws -> String {
        let credentials = PasswordCredentials(email: "\(UUID())@example.com", password: "correct horse")
        let answer = try await post(world, NativePath.signup, credentials)
        return try JSONDecoder().decode(Grant.self, from: answer.body).refreshToken
    }

    private func post(_ world: World, _ path: String, _ body: some Encodable) async throws -> (status: Int, body: Data)
    {
        var request = URLRequest(url: try world.address.appending(path: path))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await NIOTransport().exchange(request, deadline: .seconds(10))
        return (response.statusCode, data)
    }
}
