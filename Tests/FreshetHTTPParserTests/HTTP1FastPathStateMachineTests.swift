// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import Testing

@testable import FreshetHTTPParser

@Suite struct `A connection that is read from its bytes` {
    private var machine = HTTP1FastPathStateMachine(NativeRequests.parser)
    private let request = ByteBuffer(
        string: "POST /v1/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    )
    private let other = ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")

    private mutating func read(_ bytes: ByteBuffer) -> HTTP1FastPathStateMachine.Action {
        machine.read(bytes, canAnswer: true)
    }

    private func isTaken(_ action: HTTP1FastPathStateMachine.Action) -> Bool {
        if case .take(_, request) = action { true } else { false }
    }

    @Test mutating func `successive requests are taken, in one piece or in several`() throws {
        for cut in [0, 1, 30, request.readableBytes - 1] {
            let end = try #require(request.getSlice(at: cut, length: request.readableBytes - cut))
            if cut > 0 { #expect(read(try #require(request.getSlice(at: 0, length: cut))) == .wait) }
            #expect(isTaken(read(end)))
            #expect(machine.answered(canAnswer: true) == .wait)
        }
    }

    @Test mutating func `bytes after a taken request wait for its response`() {
        #expect(isTaken(read(request)))
        #expect(read(request) == .wait)
        #expect(machine.isHolding)
        #expect(isTaken(machine.answered(canAnswer: true)))
        #expect(read(other) == .wait)
        #expect(machine.answered(canAnswer: true) == .handOff(other))
        #expect(read(request) == .pass)
    }

    @Test mutating func `any other request is handed to the fallback, with all bytes after it`() {
        #expect(read(other) == .handOff(other))
        #expect(read(request) == .pass)
        #expect(machine.finish() == .pass)
        #expect(machine.answered(canAnswer: true) == .pass)
    }

    @Test mutating func `a client that does not read is handed to the fallback`() {
        #expect(machine.read(request, canAnswer: false) == .handOff(request))
    }

    @Test mutating func `a request in many pieces is handed to the fallback`() throws {
        for place in 1..<HTTP1FastPathStateMachine.maximumPieces {
            #expect(read(try #require(request.getSlice(at: place - 1, length: 1))) == .wait)
        }
        let last = HTTP1FastPathStateMachine.maximumPieces
        let all = try #require(request.getSlice(at: 0, length: last))
        #expect(read(try #require(request.getSlice(at: last - 1, length: 1))) == .handOff(all))
    }

    @Test mutating func `a declined request is handed to the fallback before the bytes that followed it`() {
        #expect(isTaken(read(request)))
        #expect(read(other) == .wait)
        var both = request
        both.writeImmutableBuffer(other)
        #expect(machine.declined(request) == .handOff(both))
        #expect(machine.declined(request) == .pass)
    }

    @Test mutating func `the end of input closes an idle connection, and otherwise waits for the response`() {
        #expect(machine.finish() == .close)
        machine = HTTP1FastPathStateMachine(NativeRequests.parser)
        #expect(isTaken(read(request)))
        #expect(machine.finish() == .wait)
        #expect(machine.answered(canAnswer: true) == .close)
        #expect(read(request) == .pass)
    }

    @Test mutating func `an incomplete request at the end of input is handed to the fallback`() throws {
        let half = try #require(request.getSlice(at: 0, length: 20))
        #expect(read(half) == .wait)
        #expect(machine.finish() == .handOff(half))
        machine = HTTP1FastPathStateMachine(NativeRequests.parser)
        #expect(isTaken(read(request)))
        #expect(read(half) == .wait)
        #expect(machine.finish() == .wait)
        #expect(machine.answered(canAnswer: true) == .handOff(half))
    }

    @Test mutating func `a timeout closes a connection that has served requests, and hands over any other`() throws {
        #expect(machine.timedOut(isIdle: false) == .handOff(ByteBuffer()))
        machine = HTTP1FastPathStateMachine(NativeRequests.parser)
        #expect(isTaken(read(request)))
        #expect(machine.timedOut(isIdle: true) == .wait)
        #expect(machine.answered(canAnswer: true) == .wait)
        #expect(machine.timedOut(isIdle: true) == .close)
        machine = HTTP1FastPathStateMachine(NativeRequests.parser)
        let half = try #require(request.getSlice(at: 0, length: 20))
        #expect(read(half) == .wait)
        #expect(machine.timedOut(isIdle: true) == .handOff(half))
    }

    @Test mutating func `an abandoned connection drops its bytes`() {
        #expect(isTaken(read(request)))
        machine.abandon()
        #expect(machine.answered(canAnswer: true) == .pass)
        #expect(read(request) == .pass)
    }
}
