// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

@Suite struct `Outbox state machine` {
    var machine = OutboxStateMachine(parallelLanes: 2, backoff: RetryBackoff(first: .seconds(1), limit: .seconds(8)))

    init() { _ = machine.open() }

    private func entry(_ number: UInt64, _ lane: String = "a") -> OutboxEntry {
        OutboxEntry(number: number, id: UUID(), lane: lane, bytes: 10)
    }

    private mutating func end(
        _ run: OutboxStateMachine.Attempt,
        _ ending: OutboxStateMachine.AttemptResult,
        at seconds: Double = 0,
        chance: Double = 1
    ) -> OutboxStateMachine.AttemptEffect {
        machine.finish(run, ending, now: .seconds(seconds), chance: chance)
    }

    /// Ends the attempt that begins now.
    private mutating func endFirst(_ ending: OutboxStateMachine.AttemptResult) throws
        -> OutboxStateMachine.AttemptEffect
    {
        let run = machine.start().first
        return end(try #require(run), ending)
    }

    private mutating func startedRun() -> OutboxStateMachine.Attempt? { machine.start().first }

    private mutating func startedNumbers() -> [UInt64] { machine.start().map(\.entry.number) }

    // MARK: Lanes

    @Test mutating func `a lane sends one item at a time, the oldest first`() throws {
        machine.add([entry(2), entry(3)])
        machine.add([entry(1)])
        for number in 1...3 as ClosedRange<UInt64> {
            let runs = machine.start()
            #expect(runs.map(\.entry.number) == [number])
            #expect(machine.start().isEmpty)
            #expect(end(try #require(runs.first), .gone) == .completed)
        }
        #expect(machine.isIdle && machine.laneCounters == OutboxLaneCounters())
    }

    @Test mutating func `lanes do not wait for each other, and take turns`() throws {
        machine.add([entry(1, "a"), entry(2, "a"), entry(3, "b"), entry(4, "c")])
        let runs = machine.start()
        #expect(runs.map(\.entry.number) == [1, 3], "two lanes at a time")
        #expect(end(runs[0], .failed(retryAfter: nil)) == .pausing(.seconds(1)))
        #expect(startedNumbers() == [4], "a lane that pauses leaves its place to others")
        #expect(end(runs[1], .gone) == .completed)
        #expect(startedNumbers() == [])
        machine.expirePauses(now: .seconds(1))
        #expect(startedNumbers() == [1])
    }

    @Test mutating func `a failed item is retried before the next item, and its attempts are counted`() throws {
        machine.add([entry(1), entry(2)])
        for attempt in 1...3 {
            let run = try #require(startedRun())
            #expect(run.entry.number == 1 && run.attempt == attempt)
            _ = end(run, .failed(retryAfter: nil))
            machine.expirePauses(now: .seconds(100))
        }
        _ = try endFirst(.gone)
        #expect(machine.start().first?.attempt == 1, "the next one begins anew")
    }

    // MARK: Pauses

    @Test mutating func `pauses between failed attempts double up to a limit and then stay at it`() throws {
        machine.add([entry(1)])
        for seconds in [1, 2, 4, 8, 8, 8] {
            let run = try #require(startedRun())
            #expect(end(run, .failed(retryAfter: nil)) == .pausing(.seconds(seconds)))
            #expect(machine.nextDeadline == .seconds(seconds))
            machine.expirePauses(now: .seconds(seconds) - .milliseconds(1))
            #expect(machine.start().isEmpty)
            machine.expirePauses(now: .seconds(seconds))
        }
    }

    @Test mutating func `waking an outbox ends a backoff pause, but not one that the server requested`() throws {
        machine.add([entry(1, "a"), entry(2, "b")])
        let runs = machine.start()
        _ = end(runs[0], .failed(retryAfter: nil))
        #expect(end(runs[1], .failed(retryAfter: .seconds(60)), chance: 0.5) == .pausing(.milliseconds(60_500)))
        machine.wake()
        #expect(startedNumbers() == [1])
    }

    @Test
    mutating func `a lane that a sibling outbox is sending is retried after a second, without counting an attempt`()
        throws
    {
        machine.add([entry(1)])
        #expect(try endFirst(.busy) == .completed)
        #expect(machine.nextDeadline == .seconds(1))
        machine.expirePauses(now: .seconds(1))
        #expect(machine.start().first?.attempt == 1)
    }

    // MARK: CurrentSession

    @Test mutating func `an account that is held starts no attempt and has no deadline until it is opened again`()
        throws
    {
        machine.add([entry(1), entry(2, "b")])
        _ = end(machine.start()[0], .failed(retryAfter: nil))
        #expect(machine.close(.signedOut) == true)
        #expect(machine.close(.signedOut) == false)
        machine.expirePauses(now: .seconds(9))
        #expect(machine.start().isEmpty && machine.nextDeadline == nil)
        #expect(machine.laneCounters.items == 2)
        #expect(machine.open() == true)
        #expect(startedNumbers() == [1])
    }

    @Test mutating func `a refused access token holds its lane until the session has another token`() throws {
        let (old, new) = (mark(1), mark(2))
        machine.add([entry(1), entry(2, "b")])
        let runs = machine.start()
        #expect(end(runs[0], .refused(old)) == .held(.tokenRefused))
        #expect(machine.laneCounters.held == 1)
        machine.tokenChanged(old)
        #expect(machine.start().isEmpty, "the other lane is still on its way")
        machine.tokenChanged(new)
        #expect(startedNumbers() == [1])
    }

    @Test mutating func `waking an outbox ends the hold of a refused token`() throws {
        machine.add([entry(1)])
        _ = try endFirst(.refused(mark(1)))
        #expect(machine.start().isEmpty)
        machine.wake()
        #expect(startedNumbers() == [1])
    }

    @Test mutating func `an accepted request ends the hold of a refused token, after a longer delay each time`() throws
    {
        machine.add([entry(1)])
        machine.tokenAccepted(now: .zero)
        _ = try endFirst(.refused(mark(1)))
        machine.tokenAccepted(now: .zero)
        for seconds in [1, 2, 4, 8, 8] {
            // The token is accepted elsewhere and refused here: an app's call must not cause an attempt each time.
            let run = try #require(startedRun())
            #expect(end(run, .refused(mark(1))) == .held(.tokenRefused))
            machine.tokenAccepted(now: .zero)
            #expect(machine.nextDeadline == .seconds(seconds))
            machine.expirePauses(now: .seconds(seconds) - .milliseconds(1))
            #expect(machine.start().isEmpty)
            machine.expirePauses(now: .seconds(seconds))
        }
        _ = try endFirst(.gone)
        machine.add([entry(2)])
        _ = try endFirst(.refused(mark(1)))
        machine.tokenAccepted(now: .seconds(9))
        #expect(startedNumbers() == [2], "the next item begins anew")
    }

    @Test mutating func `an accepted request and a wake do not end a pause that the server requested`() throws {
        machine.add([entry(1)])
        _ = try endFirst(.failed(retryAfter: .seconds(60)))
        machine.tokenAccepted(now: .zero)
        machine.wake()
        #expect(machine.start().isEmpty)
    }

    @Test mutating func `an item of a newer version holds only its own lane, and is retried after an hour`() throws {
        machine.add([entry(1), entry(2), entry(3, "b")])
        let runs = machine.start()
        #expect(end(runs[0], .newer) == .held(.newerVersion))
        machine.wake()
        #expect(machine.start().isEmpty)
        _ = end(runs[1], .gone)
        machine.expirePauses(now: .seconds(3_600))
        #expect(startedNumbers() == [1])
    }

    @Test mutating func `a refused token that is not replaced is retried after an hour`() throws {
        machine.add([entry(1)])
        _ = try endFirst(.refused(mark(1)))
        machine.expirePauses(now: .seconds(3_599))
        #expect(machine.start().isEmpty)
        machine.expirePauses(now: .seconds(3_600))
        #expect(machine.start().count == 1)
    }

    // MARK: Dead letters

    @Test mutating func `after a dead letter the lane continues`() throws {
        machine.add([entry(1), entry(2)])
        #expect(try endFirst(.dead) == .completed)
        #expect(startedNumbers() == [2])
    }

    @Test mutating func `with strict order, a lane waits until its dead letter is retried, and sends it first`() throws
    {
        machine = OutboxStateMachine(parallelLanes: 2, backoff: RetryBackoff(), holdsLaneOfDeadLetter: true)
        _ = machine.open()
        let (dead, next, other) = (entry(1), entry(2), entry(3, "b"))
        machine.add([dead, next, other])
        let runs = machine.start()
        #expect(end(runs[0], .dead) == .held(.deadLetter))
        #expect(machine.start().isEmpty)
        machine.synchronize([next, other], dead: ["a"])
        #expect(machine.start().isEmpty && machine.laneCounters.held == 1)
        machine.synchronize([dead, next, other], dead: [])
        #expect(startedNumbers() == [1], "retried, it is where it was")
    }

    @Test mutating func `with strict order, a dead letter of an earlier launch holds its lane`() {
        machine = OutboxStateMachine(parallelLanes: 2, backoff: RetryBackoff(), holdsLaneOfDeadLetter: true)
        _ = machine.open()
        machine.synchronize([entry(2), entry(3, "b")], dead: ["a"])
        machine.add([entry(4)])
        #expect(startedNumbers() == [3])
        #expect(machine.laneCounters.held == 2)
    }

    // MARK: What others do

    @Test mutating func `a new listing replaces the known items, but not the one that is being sent`() throws {
        let (one, two, four) = (entry(1), entry(2), entry(4))
        machine.add([one, four])
        let run = try #require(startedRun())
        machine.synchronize([four, two, one], dead: [])
        #expect(machine.start().isEmpty)
        #expect(end(run, .gone) == .completed)
        #expect(startedNumbers() == [2], "an item of a sibling that came in between")
        machine.synchronize([], dead: [])
        #expect(machine.laneCounters.items == 0)
    }

    @Test mutating func `an item that is listed and added again is counted once`() throws {
        let one = entry(1)
        machine.synchronize([one], dead: [])
        machine.add([one])
        #expect(machine.laneCounters.items == 1)
    }

    @Test mutating func `the result of an attempt from before an account change is ignored`() throws {
        machine.add([entry(1)])
        let run = try #require(startedRun())
        machine.resetForNewAccount()
        _ = machine.open()
        machine.add([entry(1)])
        let other = try #require(startedRun())
        #expect(other.number != run.number)
        #expect(!machine.isCurrent(run) && machine.isCurrent(other))
        #expect(end(run, .gone) == .none)
        #expect(machine.laneCounters.sending == 1)
    }

    @Test mutating func `ten thousand lanes and ten thousand items in one lane are all sent`() throws {
        machine.add((1...10_000).map { entry($0) } + (1...10_000).map { entry(20_000 + $0, "lane \($0)") })
        var count = 0
        while case let runs = machine.start(), !runs.isEmpty {
            for run in runs { _ = end(run, .gone) }
            count += runs.count
        }
        #expect(count == 20_000 && machine.isIdle)
    }

    private func mark(_ generation: UInt64) -> TokenIdentity {
        var status = SessionStatus(state: .active, isSaved: true, hasPendingLogout: false, store: "")
        status.sessionID = "s"
        status.generation = generation
        return TokenIdentity(status)
    }
}
