// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Deadlines` {
    private let clock = TestClock()

    /// Starts an operation that lasts until its stream ends, with a deadline of ten seconds.
    private func start() -> (end: AsyncStream<Never>.Continuation, result: Task<String, Never>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let sessionClock = clock.sessionClock()
        let result = Task {
            do throws(DeadlineFailure) {
                return try await withDeadline(.seconds(10), on: sessionClock) {
                    for await _ in stream {}
                    return "response"
                }
            } catch {
                if case .timedOut = error { return "timed out" }
                return "\(error)"
            }
        }
        return (continuation, result)
    }

    @Test func `an operation times out at its deadline`() async {
        let (end, result) = start()
        await clock.waitForSleep(for: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(await result.value == "timed out")
        end.finish()
    }

    /// The response to a refresh has the only successor of its token, and lies in a buffer when the device wakes up.
    @Test(arguments: [10_100, 3_600_000])
    func `a deadline that passes while the device sleeps leaves one second for a response`(milliseconds: Int) async {
        let (end, result) = start()
        await clock.waitForSleep(for: .seconds(10))
        clock.advance(by: .milliseconds(milliseconds))
        await clock.waitForSleep(for: .seconds(1))
        end.finish()
        #expect(await result.value == "response")
    }

    /// In the background, a device may wake up for less than a second.
    @Test func `a device that sleeps again within that second leaves one second for a response each time`() async {
        let (end, result) = start()
        await clock.waitForSleep(for: .seconds(10))
        for _ in 1...3 {
            clock.advance(by: .seconds(60))
            await clock.waitForSleep(for: .seconds(1))
        }
        end.finish()
        #expect(await result.value == "response")
    }

    @Test func `a deadline that passes while the device sleeps ends the operation one second later`() async {
        let (end, result) = start()
        await clock.waitForSleep(for: .seconds(10))
        clock.advance(by: .seconds(3600))
        await clock.waitForSleep(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await result.value == "timed out")
        end.finish()
    }
}
