// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import NIOCore

/// Decides what happens to the bytes of a connection that has sent only fast-path requests so far.
///
/// One request is answered at a time; bytes that arrive after it are held. At the first bytes that are not a fast-path
/// request, the connection is permanently handed to NIO's decoder: two parsers never alternate on one connection, so
/// they cannot disagree about where a request ends.
package struct HTTP1FastPathStateMachine {
    private enum State {
        /// No request is complete. Can transition to answering, handedOff and closed.
        case reading
        /// A request was accepted. Can transition to reading, handedOff and closed.
        case answering
        /// The connection belongs to NIO's decoder. Final.
        case handedOff
        case closed
    }

    package enum Action: Equatable {
        case wait
        /// Answer this request, whose ranges are offsets into the readable bytes of the buffer.
        case take(FastPathRequest, ByteBuffer)
        /// Hand the connection to NIO's decoder, with these bytes first.
        case handOff(ByteBuffer)
        case close
        /// Pass the event on, because the connection was handed off before.
        case pass
    }

    /// The number of pieces after which an incomplete request is handed off.
    ///
    /// The whole request is parsed again after each piece.
    package static let maximumPieces = 8

    private let parser: FastPathRequestParser
    private var state = State.reading
    private var held = ByteBuffer()
    /// The number of pieces in which the held bytes arrived.
    private var pieces = 0
    /// Whether the current request is the last one: the client has closed its half of the connection, or the server is
    /// stopping.
    private var isLast = false

    package init(_ parser: FastPathRequestParser) {
        self.parser = parser
    }

    /// Whether an accepted request waits for its response.
    package var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// Whether bytes are held that are not accepted yet.
    package var isHolding: Bool { held.readableBytes > 0 }

    /// Handles bytes that arrived; `canAnswer` is whether the client reads its responses.
    package mutating func read(_ bytes: ByteBuffer, canAnswer: Bool) -> Action {
        guard state != .handedOff && state != .closed else { return .pass }
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
        switch held.withUnsafeReadableBytes({ parser.parse($0) }) {
        case .complete(let request):
            state = .answering
            defer { held = ByteBuffer() }
            return .take(request, held)
        case .incomplete where !isLast && pieces < Self.maximumPieces: return .wait
        case .incomplete, .rejected: return handOff()
        }
    }

    private mutating func handOff() -> Action {
        state = .handedOff
        defer { held = ByteBuffer() }
        return .handOff(held)
    }

    /// Handles the end of a response.
    package mutating func answered(canAnswer: Bool) -> Action {
        guard isAnswering else { return .pass }
        state = .reading
        return decide(canAnswer)
    }

    /// Hands an accepted request to the router.
    package mutating func declined(_ bytes: ByteBuffer) -> Action {
        guard isAnswering else { return .pass }
        var bytes = bytes
        bytes.writeBuffer(&held)
        held = bytes
        return handOff()
    }

    /// Reads no further request: the client closed its half, or the server stops.
    package mutating func finish() -> Action {
        switch state {
        case .handedOff, .closed: return .pass
        case .answering:
            isLast = true
            return .wait
        case .reading:
            isLast = true
            return isHolding ? handOff() : decide(true)
        }
    }

    /// Handles a timeout; `isIdle` is whether the connection has had a response before.
    package mutating func timedOut(isIdle: Bool) -> Action {
        guard case .reading = state else { return .wait }
        guard isIdle, !isHolding else { return handOff() }
        state = .closed
        return .close
    }

    /// Handles the close of the connection.
    package mutating func abandon() {
        if state != .handedOff { state = .closed }
        held = ByteBuffer()
    }
}
