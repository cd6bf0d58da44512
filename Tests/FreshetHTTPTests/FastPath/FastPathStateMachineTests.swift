// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@testable import FreshetHTTP

@Suite struct `Which requests take the short way` {
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

    @Test mutating func `a whole request that isEligible is taken, in however many pieces its body comes`() {
        #expect(read(.head(Self.refresh)) == "wait")
        #expect(read(.body(ByteBuffer(string: "ab"))) == "wait")
        #expect(read(.body(ByteBuffer(string: "cd"))) == "wait")
        #expect(read(.end(nil)) == "take /v1/refresh abcd")
        #expect(finish() && readHeld().isEmpty)
        #expect(read(.head(Self.refresh)) == "wait")
        #expect(read(.end(nil)) == "take /v1/refresh ")
    }

    @Test mutating func `another request passes, and so does what comes before its answer`() {
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

    @Test mutating func `what comes behind a taken request waits for its answer`() {
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

    @Test mutating func `of those that wait, the next that isEligible is taken, and the rest waits on`() {
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

    @Test mutating func `what arrives while others still wait stays behind them`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        _ = read(.head(Self.other))
        #expect(finish())
        #expect(read(.end(nil)) == "wait")
        #expect(readHeld() == ["pass", "pass"])
    }

    @Test mutating func `a request that is given back counts as one of the router's`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        #expect(read(.head(Self.refresh)) == "wait")
        machine.returnToRouter()
        #expect(readHeld() == ["pass"])
        machine.answered()
        machine.answered()
        #expect(read(.head(Self.refresh)) == "wait")
    }

    @Test mutating func `nothing is left of a connection that is gone`() {
        _ = read(.head(Self.refresh))
        _ = read(.end(nil))
        _ = read(.head(Self.refresh))
        machine.abandon()
        #expect(!machine.isHolding && !machine.isAnswering && readHeld().isEmpty)
    }

    @Test mutating func `nothing is finished or given back that was not taken`() {
        #expect(!finish())
        machine.returnToRouter()
        _ = read(.head(Self.refresh))
        #expect(!finish())
        #expect(read(.end(nil)) == "take /v1/refresh ")
    }
}
