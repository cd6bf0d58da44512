// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Decides which requests of a connection take the short way, and keeps the order of its answers.
///
/// A request is taken only while no other of its connection waits for an answer; what comes behind it is held until its own
/// answer is out.
struct FastPathStateMachine {
    private enum State {
        /// Requests go to the router, of which so many are without an answer. Can transition to collecting.
        case routing(unanswered: Int)
        /// A request that isEligible has begun. Can transition to answering.
        case collecting(HTTPRequest, ByteBuffer?)
        /// A request was taken. Can transition to routing.
        case answering
    }

    /// What is to be done with a part of a request.
    enum Action {
        case pass
        case wait
        /// The request is whole.
        case take(HTTPRequest, ByteBuffer)
    }

    private var state = State.routing(unanswered: 0)
    /// What came behind a taken request.
    private var held = CircularBuffer<HTTPRequestPart>(initialCapacity: 0)

    /// Whether a taken request waits for its answer.
    var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// Whether anything waits behind a taken request.
    var isHolding: Bool { !held.isEmpty }

    /// A part arrived.
    mutating func read(_ part: HTTPRequestPart, isEligible: (HTTPRequest) -> Bool) -> Action {
        guard !isAnswering && held.isEmpty else {
            held.append(part)
            return .wait
        }
        return decide(part, isEligible)
    }

    /// Takes up the first part that was held, if its turn has come.
    mutating func readHeld(isEligible: (HTTPRequest) -> Bool) -> (HTTPRequestPart, Action)? {
        guard !isAnswering, let part = held.popFirst() else { return nil }
        return (part, decide(part, isEligible))
    }

    private mutating func decide(_ part: HTTPRequestPart, _ isEligible: (HTTPRequest) -> Bool) -> Action {
        switch (state, part) {
        case (.routing(0), .head(let head)) where isEligible(head):
            state = .collecting(head, nil)
            return .wait
        case (.routing(let unanswered), .head):
            state = .routing(unanswered: unanswered + 1)
            return .pass
        case (.routing, _):
            return .pass
        case (.collecting(let head, let begun?), .body(var more)):
            state = .routing(unanswered: 0)
            var body = begun
            body.writeBuffer(&more)
            state = .collecting(head, body)
            return .wait
        case (.collecting(let head, nil), .body(let body)):
            state = .collecting(head, body)
            return .wait
        case (.collecting(let head, let body), .end):
            state = .answering
            return .take(head, body ?? ByteBuffer())
        case (.collecting, .head), (.answering, _):
            // No parser brings a head inside a request, and nobody asks while one is answered.
            return .wait
        }
    }

    /// The taken request goes to the router after all.
    mutating func returnToRouter() { if isAnswering { state = .routing(unanswered: 1) } }

    /// The taken request is answered.
    ///
    /// - Returns: `false` if there was none.
    mutating func finish() -> Bool {
        guard isAnswering else { return false }
        state = .routing(unanswered: 0)
        return true
    }

    /// The connection is gone: nobody waits for anything.
    mutating func abandon() {
        held.removeAll()
        state = .routing(unanswered: 0)
    }

    /// The router answered one of its requests.
    mutating func answered() {
        if case .routing(let unanswered) = state { state = .routing(unanswered: max(0, unanswered - 1)) }
    }
}
