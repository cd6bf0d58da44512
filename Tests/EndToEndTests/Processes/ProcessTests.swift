// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// An app, its widget, its extensions and a command line share one session, and one of them dies at the worst moment.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `Processes that share a session` {
    // MARK: One expiry

    @Test func `twenty processes with an expired access token cause one refresh`() async throws {
        try await TestEnvironment.live { world in
            let fleet = try await ProcessFleet.signedIn(
                in: world.folder,
                ["--server", try world.address.absoluteString, "--sign-up"]
            )
            let id = try await fleet.status()["session"] as? String
            try fleet.endAccessToken()
            world.network.setFaultMode(.holding)
            var events = world.network.events.makeAsyncIterator()
            let processes = try (0..<20).map { _ in try fleet.start(["token"]) }
            while await events.next() != .answerHeld {}
            world.network.setFaultMode(.passThrough)
            var tokens: Set<String> = []
            for process in processes {
                let ending = await process.wait()
                #expect(ending.status == 0)
                tokens.insert(ending.output)
            }
            #expect(tokens.count == 1)
            #expect(world.counts.refreshesServed == 1)
            #expect(world.counts.ends.isEmpty)
            #expect(try await fleet.status()["session"] as? String == id)
        }
    }

    @Test func `twenty processes use a refresh token once at a backend where reuse ends the session`()
        async throws
    {
        try await StrictBackend.run { backend in
            let fleet = try await backend.signedInFleet()
            try fleet.endAccessToken()
            let processes = try (0..<20).map { _ in try fleet.start(["token"]) }
            var tokens: Set<String> = []
            for process in processes {
                let ending = await process.wait()
                #expect(ending.status == 0)
                tokens.insert(ending.output)
            }
            #expect(tokens.count == 1)
            #expect(try await backend.refreshes() == 1)
        }
    }

    // MARK: A holder of the lock that dies

    /// The steps of a refresh, in order: take the lock, store the intent, send, store the tokens, confirm.
    static let deaths =
        ["flock", "renameat", "fsync", "unlinkat"].flatMap { call in
            (1...4).map { "\(call):signal=KILL:when=\($0)" }
        } + (1...3).map { "connect:signal=KILL:when=\($0)" }

    @Test(.enabled(if: ProcessFleet.canInject, "strace cannot be used here"))
    func `a process that is killed at any step of a refresh signs no user out`() async throws {
        try await TestEnvironment.live { world in
            let fleet = try await ProcessFleet.signedIn(
                in: world.folder,
                ["--server", try world.address.absoluteString, "--sign-up"]
            )
            let id = try await fleet.status()["session"] as? String
            var fatal: Set<Substring> = []
            for death in Self.deaths {
                try fleet.endAccessToken()
                let victim = try await fleet.run(["token"], injection: death)
                if victim.status != 0 { fatal.insert(death.prefix { $0 != ":" }) }
                let next = try await fleet.run(["token"])
                #expect(next.status == 0, "\(death)")
                #expect(try await fleet.status()["session"] as? String == id, "\(death)")
            }
            // Which call of a kind comes second or third, and in which thread, is the moment's.
            #expect(fatal == ["flock", "renameat", "fsync", "unlinkat", "connect"], "some deaths did not happen")
            #expect(world.counts.ends.isEmpty)
        }
    }

    @Test func `a process that is killed between the server's commit and its store signs no user out`() async throws {
        try await TestEnvironment.live { world in
            let fleet = try await ProcessFleet.signedIn(
                in: world.folder,
                ["--server", try world.address.absoluteString, "--sign-up"]
            )
            var events = world.network.events.makeAsyncIterator()
            for _ in 1...3 {
                try fleet.endAccessToken()
                world.network.setFaultMode(.holding)
                let victim = try fleet.start(["token"])
                let waiting = try fleet.start(["token"])
                while await events.next() != .answerHeld {}
                await victim.kill()
                world.network.setFaultMode(.passThrough)
                // Either may have had the lock; the other takes it over, or never needed it.
                #expect(await waiting.wait().status == 0)
                #expect(try await fleet.run(["token"]).status == 0)
            }
            #expect(world.counts.ends.isEmpty)
        }
    }

    @Test(.enabled(if: ProcessFleet.canInject, "strace cannot be used here"))
    func `a process killed during a refresh at a strict backend signs the user out only after the commit`()
        async throws
    {
        try await StrictBackend.run { backend in
            var ends = 0
            for death in Self.deaths {
                let fleet = try await backend.signedInFleet()
                try fleet.endAccessToken()
                let before = try await backend.refreshes()
                let victim = try await fleet.run(["token"], injection: death)
                let used = try await backend.refreshes() - before
                let next = try await fleet.run(["token"])
                if next.status == 0 { continue }
                ends += 1
                // The backend had taken the token, and its successor never reached the store.
                #expect(victim.status != 0 && used == 1, "\(death)")
                #expect(next.status == 4, "\(death)")
                let status = try await fleet.status()
                #expect(status["state"] as? String == "signed_out", "\(death)")
                #expect(status["reason"] as? String == "revoked", "\(death)")
            }
            #expect(ends >= 1, "no death fell between the commit and the store")
        }
    }
}
