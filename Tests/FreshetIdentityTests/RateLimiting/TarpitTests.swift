// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers
import Testing

@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(1)))
struct `Delays of refusals` {
    @Test func `a refusal is delayed by half a second`() async {
        let duration = await ContinuousClock().measure { await Tarpit().wait() }
        #expect(duration >= .milliseconds(500))
    }

    @Test func `at most 1024 refusals are delayed at a time, and a further refusal is sent immediately`() async {
        let (pauses, resume) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let paused = NIOLockedValueBox(0)
        let tarpit = Tarpit {
            paused.withLockedValue { $0 += 1 }
            begin.yield()
            for await _ in pauses { return }
        }
        await withTaskGroup { group in
            for _ in 1...1024 { group.addTask { await tarpit.wait() } }
            var count = 0
            for await _ in begins {
                count += 1
                if count == 1024 { break }
            }
            await tarpit.wait()
            #expect(paused.withLockedValue { $0 } == 1024)
            resume.finish()
            await group.waitForAll()
        }
        // All slots are free again.
        await tarpit.wait()
        #expect(paused.withLockedValue { $0 } == 1025)
    }

    @Test func `a delayed refusal frees one slot, not more`() async {
        let (pauses, resume) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let tarpit = Tarpit(maximumWaiters: 1) {
            begin.yield()
            for await _ in pauses { return }
        }
        resume.yield()
        await tarpit.wait()
        for await _ in begins { break }
        let delayed = Task { await tarpit.wait() }
        for await _ in begins { break }
        // The only slot is occupied, so this returns although the pause has not ended.
        await tarpit.wait()
        resume.yield()
        await delayed.value
    }

    @Test func `a cancelled request is not delayed`() async {
        let delayed = Task { await Tarpit { try await Task.sleep(for: .seconds(600)) }.wait() }
        delayed.cancel()
        await delayed.value
    }
}
