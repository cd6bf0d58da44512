// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// Decides how long a connection of HTTP/1.1, or a stream of HTTP/2, may wait for its peer: for a head, for a body, for the next
/// request, and for the peer to read a response.
///
/// A body's deadline is set once, when its head arrives; neither its bytes nor another request move it.
struct RequestTimeoutStateMachine {
    private enum Phase {
        /// Waits for a request. Can transition to body and closing.
        case head
        /// A request has begun. Can transition to head, answer and closing.
        case body
        /// The request is complete; the server's own time is not limited here. Can transition to head, body and closing.
        case answer
        /// Final.
        case closing
    }

    /// What a deadline that has passed means.
    enum TimeoutAction: Equatable {
        /// There is another deadline, or none.
        case wait
        /// An idle connection is over.
        case close
        /// The request did not arrive in time.
        case refuse
        /// The peer does not read: nothing can be said to it.
        case closeImmediately
    }

    /// How a refusal is delivered.
    enum RefusalAction: Equatable {
        case respond
        /// A response would be taken for that to an earlier request.
        case close
        case ignore
    }

    private let limits: RequestLimits
    private var phase = Phase.head
    /// When the time of a head, a body or an idle connection is over.
    private var readDeadline: NIODeadline?
    /// When the peer must have read something.
    private var writeDeadline: NIODeadline?
    /// When the first bytes of the first request arrived, if they were held back.
    private var firstBytesAt: NIODeadline?
    private var hasResponseBegun = false
    /// The requests whose responses are not written.
    private(set) var unanswered = 0
    /// The parts of responses that the system has not taken.
    private var unwritten = 0
    private var isWritable = true
    /// How much of the request's body arrived.
    private var bodyBytes = 0

    init(_ limits: RequestLimits) {
        self.limits = limits
    }

    /// When to look again; `nil` for never.
    var deadline: NIODeadline? {
        guard let readDeadline, !isWriting else { return writeDeadline }
        return writeDeadline.map { min($0, readDeadline) } ?? readDeadline
    }

    /// Whether the connection would be idle, if its peer had read the last response.
    private var isWriting: Bool { phase == .head && hasResponseBegun && writeDeadline != nil }

    var isClosing: Bool { phase == .closing }

    /// Whether the rest of the body is read slowly, because the request is too large anyhow.
    var throttlesReads: Bool { phase == .body && bodyBytes > limits.bodyBytes }

    // MARK: - What the peer does

    /// The connection is open, or handed over by another reader of requests.
    mutating func opened(after wait: IdleState?, at now: NIODeadline) {
        hasResponseBegun = wait?.hasAnswered ?? false
        firstBytesAt = wait?.received
        expect(hasResponseBegun ? limits.idleTimeout : limits.headTimeout, since: wait?.since ?? now)
    }

    /// A head arrived.
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

    /// A part of a body arrived.
    ///
    /// - Returns: `false` if what came before shows already that the body is too large.
    mutating func bodyReceived(bytes: Int) -> Bool {
        guard bodyBytes <= limits.bodyBytes else { return false }
        bodyBytes += bytes
        return true
    }

    mutating func requestEnded(at now: NIODeadline) {
        guard unanswered > 0 else {
            // It was answered before its end.
            phase = .head
            return expect(limits.idleTimeout, since: now)
        }
        phase = .answer
        readDeadline = nil
    }

    // MARK: - What the server writes

    mutating func responseBegan() { hasResponseBegun = true }

    mutating func responseEnded(at now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        // A response before the body's end leaves the rest of the body under its own deadline.
        guard phase == .answer, unanswered == 0 else { return }
        phase = .head
        expect(limits.idleTimeout, since: now)
    }

    /// A part of a response waits for the system to take it.
    mutating func writeBegan(at now: NIODeadline) {
        unwritten += 1
        if writeDeadline == nil { setWriteDeadline(since: now) }
    }

    /// The system has taken a part.
    mutating func writeEnded(at now: NIODeadline) {
        unwritten = max(0, unwritten - 1)
        progress(at: now)
    }

    /// The channel has too much to write, or no longer: also what others wrote counts.
    mutating func writabilityChanged(to isWritable: Bool, at now: NIODeadline) {
        guard self.isWritable != isWritable else { return }
        self.isWritable = isWritable
        if isWritable { progress(at: now) } else if writeDeadline == nil { setWriteDeadline(since: now) }
    }

    // MARK: - Time

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
        case .answer, .closing: return .wait
        }
    }

    /// The request under way is refused, and the connection with it.
    mutating func refuse() -> RefusalAction {
        guard phase != .closing else { return .ignore }
        let isBehindOthers = unanswered > (phase == .body ? 1 : 0)
        phase = .closing
        readDeadline = nil
        writeDeadline = nil
        return hasResponseBegun || isBehindOthers ? .close : .respond
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
