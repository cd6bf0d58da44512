// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetHTTP

extension SocketEndpointPolicy {
    /// The policy of a contract's socket, at its own path.
    ///
    /// An expired token or ended session is reported with the first status and the first close code to which the
    /// contract's rules give that meaning. If the contract has no close code for it, the server sends 1008.
    init(_ shape: SocketDefinition, of contract: ContractDocument, at pattern: RoutePattern) {
        let rules = contract.rules.filter { $0.channels.contains(.socket) && $0.conditions.isEmpty }
        func code(_ outcome: ClassificationRule.Outcome) -> UInt16? {
            let codes = rules.filter { $0.outcome == outcome }.flatMap { $0.closeCodes ?? [] }
            return codes.lazy.compactMap { UInt16(exactly: $0.lowerBound) }.first(where: SocketCloseStatus.isSendable)
        }
        let expired = code(.accessExpired) ?? Self.violation
        let ended = code(.sessionEnded) ?? Self.violation
        self.init(
            contract: contract.name,
            pattern: pattern,
            tokenLocations: [shape.token],
            refusalStatus: rules.first { $0.outcome == .accessExpired && $0.statuses != nil }?.statuses?.first?
                .lowerBound,
            codes: CloseCodes(
                expired: expired,
                foreign: Self.violation,
                late: expired,
                ended: ended,
                tooMany: code(.throttled) ?? Self.violation
            )
        )
        if case .message(let template) = shape.renewal { renewal = template }
    }

    /// "Policy violation": the default close code (RFC 6455 section 7.4.1).
    private static let violation: UInt16 = 1008
}
