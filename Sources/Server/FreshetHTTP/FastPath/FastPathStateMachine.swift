// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Decides which requests of a connection take the fast path, and keeps its responses in order.
///
/// A request is taken only while no other request of its connection awaits a response; the parts after it are held
/// until its own response is written.
struct FastPathStateMachine {
    private enum State {
        /// Requests go to the router, of which `unanswered` await a response. Can transition to collecting.
        case routing(unanswered: Int)
        /// An eligible request has begun. Can transition to answering.
        case collecting(HTTPRequest, ByteBuffer?)
        /// A request was taken. Can transition to routing.
        case answering
    }

    /// The action for a part of a request.
    enum Action {
        case pass
        case wait
        /// The request is complete.
        case take(HTTPRequest, ByteBuffer)
    }

    private var state = State.routing(unanswered: 0)
    /// The parts that arrived after a taken request.
    private var held = CircularBuffer<HTTPRequestPart>(initialCapacity: 0)

    /// Whether a taken request awaits its response.
    var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// Whether parts are held after a taken request.
    var isHolding: Bool { !held.isEmpty }

    /// Handles a part that arrived.
    mutating func read(_ part: HTTPRequestPart, isEligible: (HTTPRequest) -> Bool) -> Action {
        guard !isAnswering && held.isEmpty else {
            held.append(part)
            return .wait
        }
        return decide(part, isEligible)
    }

    /// Removes and handles the first held part, unless a request awaits its response.
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
            // No decoder emits a head inside a request, and no part is handled while a request is answered.
            return .wait
        }
    }

    /// Returns the taken request to the router.
    mutating func returnToRouter() { if isAnswering { state = .routing(unanswered: 1) } }

    /// Completes the taken request.
    ///
    /// - Returns: `false` if there was none.
    mutating func finish() -> Bool {
        guard isAnswering else { return false }
        state = .routing(unanswered: 0)
        return true
    }

    /// Discards all held parts, because the connection is closed.
    mutating func abandon() {
        held.removeAll()
        state = .routing(unanswered: 0)
    }

    /// Counts a response of the router.
    mutating func answered() {
        if case .routing(let unanswered) = state { state = .routing(unanswered: max(0, unanswered - 1)) }
    }
}
