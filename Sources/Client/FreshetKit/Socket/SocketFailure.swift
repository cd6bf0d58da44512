// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A failed handshake or the end of a connection, classified.
struct SocketFailure: Equatable, Sendable {
    /// The outcome by the contract's rules.
    var outcome: Outcome
    /// The interruption that the socket's state reports.
    var interruption: SocketInterruption
    /// Whether the session's own origin refused the handshake, which ends a session that cannot be refreshed.
    var isBaseOrigin = false

    static let lost = SocketFailure(outcome: .transient(retryAfter: nil), interruption: .unreachable)
    static let pongTimeout = SocketFailure(outcome: .transient(retryAfter: nil), interruption: .pongTimeout)

    /// The handshake status or close code; 0 for another interruption.
    var code: Int {
        switch interruption {
        case .refused(let status): status
        case .closed(let code): code
        default: 0
        }
    }
}

extension SocketCloseReason {
    /// The close reason of a failure that a retry would not fix.
    init(_ failure: SocketFailure) {
        switch failure.outcome {
        case .stepUp: self = .stepUpRequired
        case .invalidRequest(let fault), .misconfigured(let fault), .contractViolation(let fault): self = .fault(fault)
        case .refused(let code, _): self = .fault("the server refuses the socket: \(code)")
        default: self = .forbidden(code: failure.code)
        }
    }
}
