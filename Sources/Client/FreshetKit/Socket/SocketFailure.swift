// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a connection did not come about or ended, and what that means.
struct SocketFailure: Equatable, Sendable {
    /// What the contract says about it.
    var outcome: Outcome
    /// What people are shown.
    var interruption: SocketInterruption
    /// Whether the session's own origin refused the handshake: for a session that nothing can renew, that is the end.
    var isBaseOrigin = false

    static let lost = SocketFailure(outcome: .transient(retryAfter: nil), interruption: .unreachable)
    static let pongTimeout = SocketFailure(outcome: .transient(retryAfter: nil), interruption: .pongTimeout)

    /// Handshake status or close code.
    var code: Int {
        switch interruption {
        case .refused(let status): status
        case .closed(let code): code
        default: 0
        }
    }
}

extension SocketCloseReason {
    /// What a failure means that trying again would not mend.
    init(_ failure: SocketFailure) {
        switch failure.outcome {
        case .stepUp: self = .stepUpRequired
        case .misconfigured(let fault), .contractViolation(let fault): self = .fault(fault)
        case .refused(let code, _): self = .fault("the server refuses the socket: \(code)")
        default: self = .forbidden(code: failure.code)
        }
    }
}
