// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetWire
import NIOCore

/// The acts of the demo.
///
/// Each does real things to real parts, and reports what others counted.
struct DemoStage: Sendable {
    let server: DemoServer
    let network: FaultyNetwork
    let view: DemoView
    let session: Session
    let callers: Callers
    private let address: URL
    private let folder: URL
    private let profile: Profile

    init(folder: URL, server: DemoServer, network: FaultyNetwork, view: DemoView) throws {
        self.server = server
        self.network = network
        self.view = view
        self.folder = folder
        guard let address = URL(string: "http://127.0.0.1:\(network.port)") else {
            throw ToolError.network("no address for the demo's network")
        }
        self.address = address
        profile = Profile(name: "demo", base: folder)
        try profile.save(Profile.Settings(server: address))
        var configuration = SessionConfiguration()
        configuration.device.name = "the owner's phone"
        configuration.backoff.first = .milliseconds(50)
        configuration.minimumRefreshInterval = .seconds(1)
        session = try Session(baseURL: address, store: profile.store, configuration: configuration)
        callers = Callers(session, server: address)
    }

    var acts: [(String, @Sendable () async throws -> Finding)] {
        [
            ("a  Sign up, and sign in", signIn),
            ("b  200 callers through several expiries of a 3-second token", manyCallers),
            ("c  The server commits a refresh, and its answer is lost", lostAnswers),
            ("d  The server is killed with -9 in the middle of refreshes", killedServer),
            ("e  A duplicate of an old refresh arrives late", lateDuplicate),
            ("f  Two processes share one store, and refresh at one instant", twoProcesses),
            ("g  A thief copies the refresh token, and uses it first", thief),
            ("h  Sign-out while a refresh is in flight", signOutInFlight),
        ]
    }

    // MARK: - Acts

    private func signIn() async throws -> Finding {
        try await session.signUp(email: "ann@example.com", password: "correct horse battery")
        let other = try Session(baseURL: address, store: InMemoryStore())
        try await other.signIn(.password(email: "ann@example.com", password: "correct horse battery"))
        let devices = try await session.devices()
        try await other.signOut()
        let left = try await session.devices()
        return Finding(
            held: devices.count == 2 && left.count == 1,
            text: "two devices listed, one signed out again; the session rests in \(session.status.store.suffix(12))"
        )
    }

    private func manyCallers() async throws -> Finding {
        let before = server.journal.counts()
        let callsBefore = callers.counts
        await callers.run(200, until: .now + .seconds(10), pause: .milliseconds(400))
        let after = server.journal.counts()
        let calls = callers.counts
        let refreshes = after.refreshesServed - before.refreshesServed
        // Ten seconds hold four lives of a token that is renewed in its last fifth; a busy machine may miss by a few.
        let held = calls.answered - callsBefore.answered > 200 && (2...7).contains(refreshes) && calls.isClean
        return Finding(
            held: held,
            text: "\(calls.answered - callsBefore.answered) calls, \(refreshes) refreshes, \(calls.unauthorized) 401s"
        )
    }

    private func lostAnswers() async throws -> Finding {
        var events = network.events.makeAsyncIterator()
        let generation = session.status.generation ?? 0
        network.setWeather(.losing(5))
        view.note("five answers in a row are lost after the commit")
        try await session.refresh()
        for _ in 0..<5 { _ = await events.next() }
        var held = session.status.generation == generation + 1

        for round in 1...3 {
            view.note("a client process is killed with -9 before its answer comes, round \(round)")
            network.setWeather(.losing(.max))
            let victim = try tool(["token", "--refresh"])
            _ = await events.next()
            await victim.kill()
            network.setWeather(.calm)
            let survivor = try await tool(["token", "--refresh"]).wait()
            held = held && survivor.status == 0
        }
        // The events of attempts that nobody waited for.
        network.setWeather(.calm)
        let lost = network.counts.answersLost
        return Finding(
            held: held && callers.counts.isClean,
            text: "\(lost) answers lost, 3 clients killed, still signed in"
        )
    }

    private func killedServer() async throws -> Finding {
        var restarts = 0
        let before = callers.counts
        async let calling: Void = callers.run(20, until: .now + .seconds(8), pause: .milliseconds(100))
        for _ in 1...3 {
            async let refreshing: Void? = try? session.refresh()
            await server.kill()
            view.note("killed; the callers go on")
            try await Task.sleep(for: .milliseconds(400))
            try await server.restart()
            restarts += 1
            view.note("started again, \(restarts) of 3")
            _ = await refreshing
            try await Task.sleep(for: .seconds(1))
        }
        await calling
        let works = await callers.call()
        let unanswered = callers.counts.unreachable - before.unreachable
        return Finding(
            held: works && callers.counts.isClean,
            text: "3 kills, \(unanswered) calls met no server, nobody was signed out"
        )
    }

    private func lateDuplicate() async throws -> Finding {
        try await session.refresh()
        guard let old = network.recordedRefreshes.first else { return Finding(held: false, text: "nothing recorded") }
        let answer = try await RawRequest(server: address).repeatRefresh(Data(old.readableBytesView))
        let works = await callers.call()
        return Finding(
            held: answer == RawRequest.Answer(status: 409, word: "superseded") && works,
            text: "answered \(answer.status) \(answer.word ?? ""), and the session lives"
        )
    }

    private func twoProcesses() async throws -> Finding {
        view.note("waiting for the access token to end")
        try await waitForExpiry()
        let before = session.status.generation ?? 0
        network.setWeather(.holding)
        var events = network.events.makeAsyncIterator()
        let first = try tool(["token"])
        let second = try tool(["token"])
        // Both requests are at the server, or one process waits for the other's answer; either way nobody has one yet.
        while await events.next() != .answerHeld {}
        network.setWeather(.calm)
        let endings = [await first.wait(), await second.wait()]
        let works = await callers.call()
        let held = endings.allSatisfy { $0.status == 0 && $0.output.count > 100 } && works && callers.counts.isClean
        let steps = (session.status.generation ?? 0) - before
        let exits = endings.map { "\($0.status)" }.joined(separator: " and ")
        return Finding(held: held && steps <= 2, text: "exit codes \(exits), and the session moved on by \(steps)")
    }

    private func thief() async throws -> Finding {
        let loot = try stolenToken()
        let raw = RawRequest(server: address)
        let theft = try await raw.refresh(loot, .random())
        view.note("the thief is served: \(theft.answer.status)")
        guard let reason = try await reasonToSignOut() else {
            return Finding(held: false, text: "the owner was served beside the thief")
        }
        let again = try await raw.refresh(theft.successor ?? loot, .random())
        let held = theft.answer.status == 200 && reason.isTheft && again.answer.status == 400
        return Finding(held: held, text: "the owner is told: \(reason) The thief gets \(again.answer.status).")
    }

    /// Refreshes, and returns why the session is over if that is the answer.
    private func reasonToSignOut() async throws -> SignOutReason? {
        do throws(SessionError) {
            try await session.refresh()
            return nil
        } catch {
            guard case .signedOut(let reason) = error else { throw error }
            return reason
        }
    }

    private func signOutInFlight() async throws -> Finding {
        try await session.signIn(.password(email: "ann@example.com", password: "correct horse battery"))
        network.setWeather(.holding)
        var events = network.events.makeAsyncIterator()
        async let refreshing: Void? = try? session.refresh()
        while await events.next() != .answerHeld {}
        try await session.signOut()
        network.setWeather(.calm)
        _ = await refreshing
        let empty = (try? stolenToken()) == nil
        let isOut = if case .signedOut(.requested) = session.state { true } else { false }
        return Finding(
            held: empty && isOut && !session.status.hasPendingLogout,
            text: "signed out, the late answer was dropped, and the store holds no token"
        )
    }

    // MARK: - Counting

    func figures() async -> DemoView.Figures {
        let counts = callers.counts
        let left = session.status.accessTokenExpiresAt?.timeIntervalSinceNow ?? 0
        let journal = server.journal.counts()
        let state: String =
            switch session.state {
            case .unknown: "unknown"
            case .signedOut: "signed out"
            case .active: "signed in"
            case .refreshing: "refreshing"
            case .offline: "offline"
            case .ending: "ending"
            }
        return DemoView.Figures(
            calls: counts.answered,
            requests: journal.requests,
            refreshes: journal.refreshesServed,
            dropped: network.counts.answersLost,
            unauthorized: counts.unauthorized,
            freshness: max(0, min(1, left / 3)),
            state: state
        )
    }

    func verdict(_ acts: [Verdict.Act]) async -> Verdict {
        let journal = server.journal.counts()
        let counts = callers.counts
        // Two sessions were signed out by their owners; one theft had to end one session. Anything else is unwanted.
        let thefts = ["fork", "stale_holder", "reuse"].reduce(0) { $0 + journal.ends[$1, default: 0] }
        let logouts = journal.ends["logout", default: 0]
        let ends = journal.ends.values.reduce(0, +)
        let unwanted = max(0, ends - min(logouts, 2) - min(thefts, 1)) + counts.signedOut
        return Verdict(
            acts: acts,
            requests: journal.requests,
            refreshes: journal.refreshesServed,
            answersDropped: network.counts.answersLost,
            callsAnswered: counts.answered,
            unauthorizedReachingCallers: counts.unauthorized,
            unwantedSignOuts: unwanted,
            theftsUnnoticed: max(0, 1 - thefts)
        )
    }

    // MARK: - Means

    private func tool(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            arguments + ["--profile", profile.name],
            environment: ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path]
        )
    }

    private func waitForExpiry() async throws {
        let token = try await session.accessToken()
        let left = token.expiresAt.timeIntervalSinceNow
        if left > 0 { try await Task.sleep(for: .seconds(left)) }
    }

    /// What a thief finds who can read the owner's files.
    private func stolenToken() throws -> String {
        struct Stored: Decodable {
            struct Session: Decodable { var refreshToken: String }
            var session: Session?
        }
        let file = folder.appending(path: "freshet/demo.session")
        let stored = try JSONDecoder().decode(Stored.self, from: try Data(contentsOf: file))
        guard let token = stored.session?.refreshToken else { throw CocoaError(.fileReadNoSuchFile) }
        return token
    }
}

extension Callers.Counts {
    /// Nobody was turned away.
    var isClean: Bool { unauthorized == 0 && signedOut == 0 && unexpected == 0 }
}
