// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// Decides what becomes of the bytes of a connection that has sent nothing but direct requests until now.
///
/// One request is answered at a time; what comes behind it waits. At the first bytes that are something else the connection is
/// left to those who read everything, for good: two readers never share one in turn, so they cannot disagree where a
/// request ends.
struct HTTP1FastPathStateMachine {
    private enum State {
        /// Nothing is asked, or not all of it. Can transition to answering, left and closed.
        case reading
        /// A request was taken. Can transition to reading, left and closed.
        case answering
        /// Somebody else's. Final.
        case left
        case closed
    }

    /// What is to be done.
    enum Action: Equatable {
        case wait
        case take(FastPathRequest, ByteBuffer)
        /// Give the connection away, and these bytes first.
        case handOff(ByteBuffer)
        case close
        /// It is none of the lane's any more.
        case pass
    }

    /// More are not put together: each is read from its beginning again.
    static let maximumPieces = 8

    private let limits: RequestLimits
    private var state = State.reading
    private var held = ByteBuffer()
    /// In how many pieces that came.
    private var pieces = 0
    /// Whether the client has said its last word, or the server is about to stop.
    private var isLast = false

    init(_ limits: RequestLimits) {
        self.limits = limits
    }

    var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// Whether something has come that is not taken yet.
    var isHolding: Bool { held.readableBytes > 0 }

    mutating func read(_ bytes: ByteBuffer, canAnswer: Bool) -> Action {
        guard state != .left && state != .closed else { return .pass }
        if isHolding {
            var bytes = bytes
            held.writeBuffer(&bytes)
            pieces += 1
        } else {
            held = bytes
            pieces = 1
        }
        return isAnswering ? .wait : decide(canAnswer)
    }

    private mutating func decide(_ canAnswer: Bool) -> Action {
        if held.readableBytes == 0 {
            guard isLast else { return .wait }
            state = .closed
            return .close
        }
        guard canAnswer else { return handOff() }
        switch held.withUnsafeReadableBytes({ FastPathRequest.read($0, limits: limits) }) {
        case .whole(let request):
            state = .answering
            defer { held = ByteBuffer() }
            return .take(request, held)
        case .part where !isLast && pieces < Self.maximumPieces: return .wait
        case .part, .other: return handOff()
        }
    }

    private mutating func handOff() -> Action {
        state = .left
        defer { held = ByteBuffer() }
        return .handOff(held)
    }

    /// The answer to the taken request is written.
    mutating func answered(canAnswer: Bool) -> Action {
        guard isAnswering else { return .pass }
        state = .reading
        return decide(canAnswer)
    }

    /// The taken request is none of those that are answered here.
    mutating func declined(_ bytes: ByteBuffer) -> Action {
        guard isAnswering else { return .pass }
        var bytes = bytes
        bytes.writeBuffer(&held)
        held = bytes
        return handOff()
    }

    /// The client says nothing more, or the server stops: what is under way is answered, and no more is asked.
    mutating func finish() -> Action {
        switch state {
        case .left, .closed: return .pass
        case .answering:
            isLast = true
            return .wait
        case .reading:
            isLast = true
            return isHolding ? handOff() : decide(true)
        }
    }

    /// It takes too long until a request is whole, or until there is one; `isIdle` says whether there were others before.
    mutating func timedOut(isIdle: Bool) -> Action {
        guard case .reading = state else { return .wait }
        guard isIdle, !isHolding else { return handOff() }
        state = .closed
        return .close
    }

    /// The connection is gone.
    mutating func abandon() {
        if state != .left { state = .closed }
        held = ByteBuffer()
    }
}
