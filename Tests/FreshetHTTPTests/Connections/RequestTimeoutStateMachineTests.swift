// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import Testing

@testable import FreshetHTTP

@Suite struct `A connection's deadlines` {
    private let limits = RequestLimits()
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private var machine: RequestTimeoutStateMachine

    init() {
        machine = RequestTimeoutStateMachine(limits)
        machine.opened(after: nil, at: start)
    }

    private func after(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    @Test mutating func `a request head that does not arrive within ten seconds is refused`() {
        #expect(machine.deadline == after(10))
        #expect(machine.deadlineReached(at: after(9)) == .wait)
        #expect(machine.deadlineReached(at: after(10)) == .refuse)
        #expect(machine.refuse() == .respond)
        #expect(machine.refuse() == .ignore)
    }

    @Test mutating func `a body's deadline starts when its head arrives, and is not extended by further bytes`() {
        #expect(machine.headReceived(bytes: 100, at: after(4)) == true)
        #expect(machine.deadline == after(19))
        for _ in 1...14 { #expect(machine.bodyReceived(bytes: 1) == true) }
        #expect(machine.deadline == after(19))
        #expect(machine.deadlineReached(at: after(19)) == .refuse)
    }

    @Test mutating func `a body's deadline starts at the arrival of a head that another handler held back`() {
        machine.opened(after: IdleState(since: start, received: after(2)), at: after(3))
        #expect(machine.headReceived(bytes: 100, at: after(3)) == true)
        #expect(machine.deadline == after(17))
        machine.requestEnded(at: after(4))
        machine.responseEnded(at: after(5))
        #expect(machine.headReceived(bytes: 100, at: after(6)) == true)
        #expect(machine.deadline == after(21))
    }

    @Test mutating func `responses to earlier requests do not move a body's deadline`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        #expect(machine.deadline == nil)
        #expect(machine.headReceived(bytes: 100, at: after(1)) == true)
        machine.responseBegan()
        machine.writeBegan(at: after(8))
        _ = machine.writeEnded(at: after(8))
        machine.responseEnded(at: after(8))
        #expect(machine.deadline == after(16))
        #expect(machine.deadlineReached(at: after(16)) == .refuse)
    }

    @Test
    mutating func
        `a connection closes when its peer stops reading a response, and write progress extends the deadline`()
    {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        machine.responseBegan()
        for _ in 1...3 { machine.writeBegan(at: after(1)) }
        #expect(machine.deadline == after(16))
        _ = machine.writeEnded(at: after(10))
        #expect(machine.deadline == after(25))
        // Another part that is written is no progress.
        machine.writeBegan(at: after(20))
        #expect(machine.deadline == after(25))
        #expect(machine.deadlineReached(at: after(25)) == .closeImmediately)
        #expect(machine.isClosing)
    }

    @Test mutating func `a response that was read leaves the connection idle`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        machine.responseBegan()
        machine.writeBegan(at: after(1))
        machine.responseEnded(at: after(1))
        #expect(machine.deadline == after(16))
        _ = machine.writeEnded(at: after(3))
        #expect(machine.deadline == after(63))
        #expect(machine.deadlineReached(at: after(63)) == .close)
    }

    @Test mutating func `writability changes set the write deadline for bytes that another handler writes`() {
        machine.opened(after: IdleState(since: start, hasAnswered: true), at: start)
        machine.writabilityChanged(to: false, at: start)
        #expect(machine.deadline == after(15))
        machine.writabilityChanged(to: false, at: after(9))
        #expect(machine.deadline == after(15))
        machine.writabilityChanged(to: true, at: after(10))
        #expect(machine.deadline == after(70))
        machine.writabilityChanged(to: false, at: after(20))
        #expect(machine.deadlineReached(at: after(35)) == .closeImmediately)
    }

    @Test mutating func `a request has no deadline while the server processes it`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        #expect(machine.deadline == nil)
        #expect(machine.deadlineReached(at: after(3600)) == .wait)
    }

    @Test(arguments: [true, false])
    mutating func `a refused request behind another request closes the connection after the earlier response`(
        hasNext: Bool
    ) {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        if hasNext { #expect(machine.headReceived(bytes: 100, at: start) == true) }
        #expect(machine.refuse() == .closeAfterResponses)
        #expect(machine.discardsInput && !machine.isClosing)
        #expect(machine.refuse() == .ignore)
        // Processing still has no limit.
        #expect(machine.deadline == nil)
        machine.responseBegan()
        for _ in 1...2 { machine.writeBegan(at: after(20)) }
        #expect(machine.writeEnded(at: after(21)) == false)
        machine.responseEnded(at: after(22))
        #expect(machine.writeEnded(at: after(22)) == true)
    }

    @Test mutating func `a connection that discards input still closes if its peer does not read`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        #expect(machine.refuse() == .closeAfterResponses)
        machine.writeBegan(at: after(20))
        #expect(machine.deadlineReached(at: after(35)) == .closeImmediately)
    }

    @Test mutating func `a response that is not written yet is completed before the connection closes`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        machine.responseBegan()
        machine.writeBegan(at: start)
        machine.responseEnded(at: start)
        #expect(machine.refuse() == .closeAfterResponses)
        #expect(machine.writeEnded(at: after(1)) == true)
    }

    @Test(arguments: [true, false])
    mutating func `a connection closes when a body misses its deadline after its response has begun`(
        isBehindAnother: Bool
    ) {
        if isBehindAnother {
            #expect(machine.headReceived(bytes: 100, at: start) == true)
            machine.requestEnded(at: start)
        }
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.responseBegan()
        if isBehindAnother {
            machine.writeBegan(at: start)
            machine.responseEnded(at: start)
            #expect(machine.writeEnded(at: start) == false)
        }
        #expect(machine.deadlineReached(at: after(15)) == .refuse)
        #expect(machine.refuse() == .close)
    }

    @Test mutating func `a refusal after the last response closes the connection without another response`() {
        #expect(machine.headReceived(bytes: 100, at: start) == true)
        machine.requestEnded(at: start)
        machine.responseBegan()
        machine.responseEnded(at: start)
        #expect(machine.refuse() == .close)
    }
}
