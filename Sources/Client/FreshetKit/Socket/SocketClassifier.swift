// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

/// Classifies the end of a connection by the contract's rules for sockets, and then by general rules.
struct SocketClassifier: Sendable {
    private let contract: Contract
    private let closeRules: [ClassificationRule]
    /// Whether the socket is at the session's own origin.
    private let isBaseOrigin: Bool

    init(_ contract: Contract, isBaseOrigin: Bool) {
        self.contract = contract
        self.isBaseOrigin = isBaseOrigin
        closeRules = contract.document.rules.filter { $0.closeCodes != nil && $0.channels.contains(.socket) }
    }

    /// Classifies a failed handshake, or the end of a connection.
    ///
    /// - Parameters:
    ///   - error: The error of the connection.
    ///   - secrets: The secrets of the handshake, which the outcome's texts do not contain.
    /// - Returns: The failure.
    func failure(_ error: any Error, hiding secrets: [String] = []) -> SocketFailure {
        switch error as? WebSocketError {
        case .refused(let refusal): failure(refusal, hiding: secrets)
        case .closed(let code): SocketFailure(outcome: outcome(ofClose: code), interruption: .closed(code: code))
        case .messageTooLong: SocketFailure(outcome: .transient(retryAfter: nil), interruption: .closed(code: 1009))
        case .unsupported(let why): SocketFailure(outcome: .misconfigured(why), interruption: .unreachable)
        case .lost, nil: .lost
        }
    }

    private func failure(_ refusal: WebSocketRefusal, hiding secrets: [String]) -> SocketFailure {
        let answer = HTTPReply(status: refusal.status, headers: refusal.headers, body: refusal.body)
        var outcome = contract.classify(answer, on: .socket, hiding: secrets)
        // A success without a rule means that no WebSocket is available now: a deployment, a proxy, a captive portal.
        if outcome == .delivered { outcome = .transient(retryAfter: answer.retryDelay) }
        // An HTML page of a firewall or a proxy is not the backend's decision.
        if outcome == .forbidden, answer.isPage { outcome = .transient(retryAfter: nil) }
        return SocketFailure(
            outcome: outcome,
            interruption: .refused(status: refusal.status),
            isBaseOrigin: isBaseOrigin && !answer.isPage
        )
    }

    /// Classifies a close code.
    ///
    /// Of the private codes (4000 to 4999, RFC 6455 section 7.4.2), only those derived from an HTTP status have a
    /// common meaning; others need a rule in the contract.
    func outcome(ofClose code: Int) -> Outcome {
        for rule in closeRules where rule.closeCodes?.contains(where: { $0.contains(code) }) == true {
            switch rule.outcome {
            case .accessExpired: return .accessExpired
            case .sessionEnded: return .sessionEnded(SignOutReason(wire: rule.reason))
            case .stepUp: return .stepUp
            case .forbidden: return .forbidden
            case .refused: return .refused(code: "close \(code)", message: nil)
            case .misconfigured: return .misconfigured(rule.note ?? "close code \(code)")
            case .contractViolation: return .contractViolation(rule.note ?? "close code \(code)")
            case .throttled: return .throttled(retryAfter: nil)
            case .delivered, .superseded, .transient: return .transient(retryAfter: nil)
            }
        }
        return switch code {
        // 1008 is a policy violation, 3000 is registered as Unauthorized, and many servers use 4401 and 4403 for 401
        // and 403.
        case 1008, 3000, 4401, 4403: .accessExpired
        case 3003: .forbidden
        default: .transient(retryAfter: nil)
        }
    }
}
