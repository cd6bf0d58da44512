// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@testable import FreshetHTTP

@Suite struct `The fast path's state machine` {
    var machine = FastPathStateMachine()

    private static let refresh = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/v1/refresh")
    private static let other = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/v1/sessions")

    /// The state machine's action for a part, described.
    private mutating func read(_ part: HTTPRequestPart) -> String {
        describe(machine.read(part) { $0.path == "/v1/refresh" })
    }

    /// The actions for the parts that were held until now.
    private mutating func readHeld() -> [String] {
        var descriptions: [String] = []
        while let (_, reading) = machine.readHeld(isEligible: { $0.path == "/v1/refresh" }) {
            descriptions.append(describe(reading))
        }
        return descriptions
    }

    private mutating func finish() -> Bool { machine.finish() }

    private func describe(_ reading: FastPathStateMachine.Action) -> String {
        switch reading {
        case .pass: "pass"
        case .wait: "wait"
        case .take(let head, let body): "take \(head.path ?? "") \(String(buffer: body))"
        }
    }

    @Test mutating func `an eligible request takes the fast path when it is complete, with all parts of its body`() {
        #expect(read(.head(Self.refresh)) == "wait")
        #expect(read(.body(ByteBuffer(string: "ab"))) == "wait")
        #expect(read(.body(ByteBuffer(string: "cd"))) == "wait")
        #expect(read(.end(nil)) == "take /v1/refresh abcd")
        #expect(finish() && readHeld().isEmpty)
        #expect(read(.head(Self.refresh)) == "wait")
        #expect(read(.end(nil)) == "take /v1/refresh ")
    }

    @Test mutating func `an ineligible request passes to the router, and so do all requests before its response`() {
        #expect(read(.head(Self.other)) == "pass")
        #expect(read(.body(ByteBuffer(string: "ab"))) == "pass")
        #expect(read(.end(nil)) == "pass")
        #expect(read(.head(Self.refresh)) == "pass")
        #expect(read(.end(nil)) == "pass")
        machine.answered()
        #expect(read(.head(Self.refresh)) == "pass")
        #expect(read(.end(nil)) == "pass")
        machine.answered()
        machine.answered()
        #expect(read(.head(Self.refresh)) == "wait")
    }

    @Test mutating func `requests behind a request on the fast path are held until its response is finished`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        #expect(machine.isAnswering && !machine.isHolding)
        #expect(read(.head(Self.other)) == "wait")
        #expect(read(.end(nil)) == "wait")
        #expect(machine.isHolding)
        machine.answered()
        #expect(readHeld().isEmpty)
        #expect(finish())
        #expect(readHeld() == ["pass", "pass"])
        #expect(!machine.isAnswering && !machine.isHolding)
    }

    @Test mutating func `the next eligible request among held requests takes the fast path, and the rest stay held`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        for head in [Self.refresh, Self.other] {
            _ = read(.head(head))
            _ = read(.end(nil))
        }
        #expect(finish())
        #expect(readHeld() == ["wait", "take /v1/refresh "])
        #expect(read(.head(Self.refresh)) == "wait")
        #expect(read(.end(nil)) == "wait")
        #expect(finish())
        #expect(readHeld() == ["pass", "pass", "pass", "pass"])
    }

    @Test mutating func `request parts that arrive while earlier parts are held are passed on after them`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        _ = read(.head(Self.other))
        #expect(finish())
        #expect(read(.end(nil)) == "wait")
        #expect(readHeld() == ["pass", "pass"])
    }

    @Test mutating func `a request that the fast path returns counts as one of the router's open requests`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        #expect(read(.head(Self.refresh)) == "wait")
        machine.returnToRouter()
        #expect(readHeld() == ["pass"])
        machine.answered()
        machine.answered()
        #expect(read(.head(Self.refresh)) == "wait")
    }

    @Test mutating func `a closed connection has no held requests and no open response`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        _ = read(.head(Self.refresh))
        machine.abandon()
        #expect(!machine.isHolding && !machine.isAnswering && readHeld().isEmpty)
    }

    @Test mutating func `finishing or returning a request has no effect before the fast path has taken a request`() {
        #expect(!finish())
        machine.returnToRouter()
        _ = read(.head(Self.refresh))
        #expect(!finish())
        #expect(read(.end(nil)) == "take /v1/refresh ")
    }
}
