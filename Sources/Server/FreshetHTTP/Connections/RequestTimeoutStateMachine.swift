// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// Computes the deadlines of an HTTP/1.1 connection or an HTTP/2 stream.
///
/// They limit the wait for a head, for a body, for the next request, and for the peer to read a response. A body's
/// deadline is set once, when its head arrives; neither its bytes nor another request extend it.
struct RequestTimeoutStateMachine {
    private enum Phase: Equatable {
        /// Waits for a request. Can transition to body, draining and closing.
        case head
        /// A request has begun. Can transition to head, answer, draining and closing.
        case body
        /// The request is complete; processing has no limit here. Can transition to head, body, draining and closing.
        case answer
        /// Input is discarded; this many responses to earlier requests have not ended. Can transition to closing.
        case draining(unanswered: Int)
        /// Final.
        case closing
    }

    /// The action after a deadline.
    enum TimeoutAction: Equatable {
        /// Another deadline applies, or none.
        case wait
        /// The connection is idle.
        case close
        /// The request did not arrive in time.
        case refuse
        /// The peer does not read and would not receive a response.
        case closeImmediately
    }

    /// The delivery of a refusal.
    enum RefusalAction: Equatable {
        case respond
        /// Close without a response: the client would take one for the response to an earlier request.
        case close
        /// Close as for `close`, once the responses to earlier requests are written (RFC 9112, section 9.6).
        case closeAfterResponses
        case ignore
    }

    private let limits: RequestLimits
    private var phase = Phase.head
    /// The deadline of a head, a body or an idle connection.
    private var readDeadline: NIODeadline?
    /// The deadline by which the peer must have read some bytes.
    private var writeDeadline: NIODeadline?
    /// The arrival of the first request's first bytes, if another handler held them back.
    private var firstBytesAt: NIODeadline?
    private var hasResponseBegun = false
    /// The number of requests whose responses are not written.
    private(set) var unanswered = 0
    /// The number of response parts that the system has not accepted.
    private var unwritten = 0
    private var isWritable = true
    /// The number of bytes of the request's body that arrived.
    private var bodyBytes = 0

    init(_ limits: RequestLimits) {
        self.limits = limits
    }

    /// The next deadline, if any.
    var deadline: NIODeadline? {
        guard let readDeadline, !isWriting else { return writeDeadline }
        return writeDeadline.map { min($0, readDeadline) } ?? readDeadline
    }

    /// Whether the connection would be idle if its peer had read the last response.
    private var isWriting: Bool { phase == .head && hasResponseBegun && writeDeadline != nil }

    var isClosing: Bool { phase == .closing }

    /// Whether input is discarded.
    var discardsInput: Bool { if case .draining = phase { true } else { isClosing } }

    /// Whether the rest of the body is read slowly, because the request is too large.
    var throttlesReads: Bool { phase == .body && bodyBytes > limits.bodyBytes }

    // MARK: - Inbound

    /// Starts the deadline of a new connection, or of one handed over by another handler.
    mutating func opened(after wait: IdleState?, at now: NIODeadline) {
        hasResponseBegun = wait?.hasAnswered ?? false
        firstBytesAt = wait?.received
        expect(hasResponseBegun ? limits.idleTimeout : limits.headTimeout, since: wait?.since ?? now)
    }

    /// Handles the arrival of a head.
    ///
    /// - Returns: `false` if it is too large.
    mutating func headReceived(bytes: Int, at now: NIODeadline) -> Bool {
        hasResponseBegun = false
        bodyBytes = 0
        guard bytes <= limits.headerBytes else { return false }
        phase = .body
        unanswered += 1
        expect(limits.bodyTimeout, since: firstBytesAt ?? now)
        firstBytesAt = nil
        return true
    }

    /// Handles the arrival of a part of a body.
    ///
    /// - Returns: `false` if the parts before it exceed the maximum already.
    mutating func bodyReceived(bytes: Int) -> Bool {
        guard bodyBytes <= limits.bodyBytes else { return false }
        bodyBytes += bytes
        return true
    }

    mutating func requestEnded(at now: NIODeadline) {
        guard unanswered > 0 else {
            // The request was answered before its body had ended.
            phase = .head
            return expect(limits.idleTimeout, since: now)
        }
        phase = .answer
        readDeadline = nil
    }

    // MARK: - Outbound

    mutating func responseBegan() { hasResponseBegun = true }

    mutating func responseEnded(at now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        if case .draining(let count) = phase { phase = .draining(unanswered: max(0, count - 1)) }
        // A response before the end of the body leaves the remaining body under its own deadline.
        guard phase == .answer, unanswered == 0 else { return }
        phase = .head
        expect(limits.idleTimeout, since: now)
    }

    /// Counts a response part that the system has not accepted.
    mutating func writeBegan(at now: NIODeadline) {
        unwritten += 1
        if writeDeadline == nil { setWriteDeadline(since: now) }
    }

    /// Counts a response part that the system has accepted.
    ///
    /// - Returns: Whether the connection closes now.
    mutating func writeEnded(at now: NIODeadline) -> Bool {
        unwritten = max(0, unwritten - 1)
        progress(at: now)
        return phase == .draining(unanswered: 0) && unwritten == 0
    }

    /// Handles a change of the channel's writability, which includes the writes of other handlers.
    mutating func writabilityChanged(to isWritable: Bool, at now: NIODeadline) {
        guard self.isWritable != isWritable else { return }
        self.isWritable = isWritable
        if isWritable { progress(at: now) } else if writeDeadline == nil { setWriteDeadline(since: now) }
    }

    // MARK: - Timeouts

    mutating func deadlineReached(at now: NIODeadline) -> TimeoutAction {
        if let writeDeadline, writeDeadline <= now, phase != .closing {
            phase = .closing
            return .closeImmediately
        }
        guard let readDeadline, readDeadline <= now, !isWriting else { return .wait }
        self.readDeadline = nil
        switch phase {
        case .head where hasResponseBegun && limits.idleTimeout > .zero: return .close
        case .head, .body: return .refuse
        case .answer, .draining, .closing: return .wait
        }
    }

    /// Refuses the current request, and closes the connection.
    mutating func refuse() -> RefusalAction {
        guard !discardsInput else { return .ignore }
        // A request whose body is incomplete may never be answered.
        let owed = phase == .body ? unanswered - 1 : unanswered
        readDeadline = nil
        if owed > 0 || unwritten > 0 {
            phase = .draining(unanswered: max(0, owed))
            return .closeAfterResponses
        }
        phase = .closing
        writeDeadline = nil
        return hasResponseBegun ? .close : .respond
    }

    private mutating func expect(_ limit: Duration, since start: NIODeadline) {
        readDeadline = start + .milliseconds(limit.milliseconds)
    }

    private mutating func setWriteDeadline(since start: NIODeadline) {
        writeDeadline = start + .milliseconds(limits.writeTimeout.milliseconds)
    }

    private mutating func progress(at now: NIODeadline) {
        guard unwritten == 0 && isWritable else { return setWriteDeadline(since: now) }
        writeDeadline = nil
        if phase == .head && hasResponseBegun { expect(limits.idleTimeout, since: now) }
    }
}
