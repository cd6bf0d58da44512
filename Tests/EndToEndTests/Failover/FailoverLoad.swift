// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetWire
import NIOConcurrencyHelpers
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Many sessions that refresh, others that begin and end, what is remembered of them, and the judge of it.
struct FailoverLoad {
    /// The events before and during the failure of the database.
    struct History: Sendable {
        /// Sessions whose end was answered with success, by their last refresh token.
        var ended: [String] = []
        /// How often each session was refreshed.
        var refreshed: [Int]
        /// Attempts that came to nothing for now.
        var failed = 0
    }

    /// The history, and whoever waits for it to come so far.
    private final class Recorder: Sendable {
        private let history: NIOLockedValueBox<History>
        private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        init(sessions: Int) {
            history = NIOLockedValueBox(History(refreshed: Array(repeating: 0, count: sessions)))
        }

        var now: History { history.withLockedValue { $0 } }

        func note(_ change: (inout History) -> Void) {
            history.withLockedValue { change(&$0) }
            changes.continuation.yield()
        }

        func reach(_ isReached: (History) -> Bool) async throws {
            if isReached(now) { return }
            for await _ in changes.stream where isReached(now) { return }
            throw CancellationError()
        }
    }

    private static let loyal = 256
    /// The number of concurrent clients; more would delay the clients that end sessions.
    private static let busy = 32

    private let world: TestEnvironment
    private let sessions: [AuthSession]
    private let recorder = Recorder(sessions: loyal)

    /// Signs everybody in.
    ///
    /// - Throws: The error of a sign-up.
    init(on world: TestEnvironment) async throws {
        self.world = world
        var sessions: [AuthSession] = []
        for number in 0..<Self.loyal {
            sessions.append(try await world.signedIn("user\(number)@example.com"))
        }
        self.sessions = sessions
    }

    var history: History { recorder.now }

    /// Runs the load, and once it is well under way, `trouble`.
    ///
    /// - Throws: The error of `trouble`.
    func run(_ trouble: () async throws -> Void) async throws {
        let isOver = NIOLockedValueBox(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { isOver.withLockedValue { $0 = true } }
            for first in 0..<Self.busy {
                let turn = Array(stride(from: first, to: sessions.count, by: Self.busy))
                group.addTask { await refresh(turn, while: { !isOver.withLockedValue { $0 } }) }
            }
            group.addTask { await end(while: { !isOver.withLockedValue { $0 } }) }
            try await recorder.reach { $0.refreshed.allSatisfy { $0 >= 2 } && $0.ended.count >= 8 }
            try await trouble()
            isOver.withLockedValue { $0 = true }
            try await group.waitForAll()
        }
    }

    /// Waits until every session was refreshed twice more, and some sessions more ended.
    ///
    /// - Throws: `CancellationError`.
    func goesOn(ends: Int = 4) async throws {
        let before = history
        try await recorder.reach { now in
            now.ended.count >= before.ended.count + ends
                && zip(now.refreshed, before.refreshed).allSatisfy { $0 >= $1 + 2 }
        }
    }

    /// Checks that no user was signed out, that ended sessions stay ended, and that a fork is detected.
    ///
    /// - Throws: An error that says that a user was signed out, or that the server does not answer.
    func judge() async throws {
        for session in sessions {
            try await session.refresh()
            #expect(session.state == .active)
        }
        let raw = RawRequest(server: try world.address)
        for token in history.ended {
            let answer = try await raw.refresh(token, .random()).answer
            #expect(answer == RawRequest.Answer(status: 400, code: "logout"))
        }
        for _ in 0..<8 {
            let stolen = try await signUp()
            #expect(try await raw.refresh(stolen, .random()).answer.status == 200)
            #expect(try await raw.refresh(stolen, .random()).answer == RawRequest.Answer(status: 400, code: "fork"))
        }
        #expect(world.counts.ends.keys.sorted() == ["fork", "logout"])
    }

    /// The results, in one line.
    var summary: String {
        let history = history
        return
            "\(sessions.count) sessions went on, \(history.ended.count) stayed ended, \(history.failed) attempts failed"
    }

    // MARK: - What clients do

    /// Refreshes one after the other, again and again; what cannot be done now can be done later, and anything final is a fault.
    private func refresh(_ turn: [Int], while goesOn: () -> Bool) async {
        var next = turn.startIndex
        while goesOn() {
            do throws(SessionError) {
                try await sessions[turn[next]].refresh()
                recorder.note { $0.refreshed[turn[next]] += 1 }
            } catch {
                guard case .offline = error else {
                    Issue.record(error)
                    return
                }
                recorder.note { $0.failed += 1 }
            }
            next = (next + 1) % turn.count
        }
    }

    /// Signs up and out again and again, and remembers what was answered with success.
    private func end(while goesOn: () -> Bool) async {
        while goesOn() {
            if let token = try? await signUp() {
                let answer = try? await post(NativePath.logout, PresentedToken(refreshToken: token))
                if answer?.status == 204 { recorder.note { $0.ended.append(token) } }
            }
        }
    }

    /// A session of a new account.
    ///
    /// - Returns: Its refresh token.
    /// - Throws: The error that prevented the sign-up.
    func signUp() async throws -> String {
        let credentials = PasswordCredentials(email: "\(UUID())@example.com", password: "correct horse")
        let answer = try await post(NativePath.signup, credentials)
        return try JSONDecoder().decode(SessionTokens.self, from: answer.body).refreshToken
    }

    /// Ends a session, however often that must be asked for, and remembers it.
    ///
    /// - Throws: `CancellationError`.
    func end(_ token: String) async throws {
        while true {
            try Task.checkCancellation()
            let answer = try? await post(NativePath.logout, PresentedToken(refreshToken: token))
            if answer?.status == 204 { return recorder.note { $0.ended.append(token) } }
        }
    }

    /// Asks the server for its database until it says `status`, or nothing within this time.
    ///
    /// - Throws: `CancellationError`, or that the server has no address.
    func asksUntil(_ status: Int?, within deadline: Duration) async throws {
        let request = URLRequest(url: try world.address.appending(path: NativePath.ready))
        while true {
            let answer = try? await NIOTransport().exchange(request, deadline: deadline)
            try Task.checkCancellation()
            if answer?.1.statusCode == status { return }
        }
    }

    private func post(_ path: String, _ body: some Encodable) async throws -> (status: Int, body: Data) {
        var request = URLRequest(url: try world.address.appending(path: path))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await NIOTransport().exchange(request, deadline: .seconds(10))
        return (response.statusCode, data)
    }
}
