// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract
package import FreshetEngine
package import FreshetIdentity

/// A contract that this server serves: the paths, bodies and errors of an app with a separate client.
package struct ServedContract: Sendable {
    package var document: ContractDocument
    /// The prefix of all paths; empty for the root.
    package var prefix: String

    package init(_ contract: ContractDocument, prefix: String = "") {
        self.document = contract
        self.prefix = prefix
    }

    package var name: String { document.name }

    /// Returns the contract's lifetimes, with those of the server as defaults.
    package func lifetimes(over others: Lifetimes) -> Lifetimes {
        var lifetimes = others
        guard let own = document.server?.lifetimes else { return others }
        lifetimes.access = own.access.map { .seconds($0) } ?? others.access
        lifetimes.idle = own.idle.map { .seconds($0) } ?? others.idle
        lifetimes.absolute = own.absolute.map { .seconds($0) } ?? others.absolute
        return lifetimes
    }

    /// Overrides the contract's lifetimes; `nil` leaves a lifetime unchanged.
    package mutating func setLifetimes(access: Duration?, idle: Duration?, absolute: Duration?) {
        func seconds(_ span: Duration) -> Double { Double(span.milliseconds) / 1000 }
        if let access { document.server?.lifetimes.access = seconds(access) }
        if let idle { document.server?.lifetimes.idle = seconds(idle) }
        if let absolute { document.server?.lifetimes.absolute = seconds(absolute) }
    }
}

extension ServedContract {
    /// The policy under which its sessions are opened.
    package var sessionPolicy: SessionPolicy {
        SessionPolicy(contract: name, mode: document.server?.rotation == .static ? .static : .plain)
    }

    /// Validates that this server can serve the contract's clients.
    package func validate() throws(ServedContractError) {
        guard let server = document.server else {
            throw ServedContractError(
                "the contract '\(name)' has no `server` section, so it describes a backend that this server cannot stand in for"
            )
        }
        guard prefix.isEmpty || Self.isPrefix(prefix) else {
            throw ServedContractError("'\(prefix)' is no prefix for '\(name)': write '/' and words, as in '/\(name)'")
        }
        let lifetimes = server.lifetimes
        for seconds in [lifetimes.access, lifetimes.idle, lifetimes.absolute] where seconds.map({ $0 <= 0 }) ?? false {
            throw ServedContractError("a lifetime of '\(name)' is not greater than zero")
        }
        if document.endpoints[.confirm] != nil || document.endpoints[.report] != nil {
            throw ServedContractError("'\(name)' confirms its refreshes; only the native paths do that")
        }
        for (endpoint, needed) in Self.needs {
            guard let call = document.endpoints[endpoint] else { continue }
            for call in [call] + (server.alternatives[endpoint] ?? []) {
                let brings = Set(call.names).union(call.attachesAccessToken ? ["access_token"] : [])
                guard needed.isDisjoint(with: brings) else { continue }
                let names = needed.sorted().joined(separator: " or ")
                throw ServedContractError("the request '\(endpoint)' of '\(name)' brings no \(names)")
            }
        }
    }

    /// Whether a request has the values that this server needs to process it.
    static func isComplete(_ name: EndpointName, _ endpoint: Endpoint, _ values: TemplateValues) -> Bool {
        needs.allSatisfy { other, needed in
            other != name || needed.contains { values[$0]?.text != nil }
                || (endpoint.attachesAccessToken && needed.contains("access_token"))
        }
    }

    /// The values of which a request must have at least one; an endpoint can have several sets.
    private static let needs: [(EndpointName, Set<String>)] = [
        (.password, ["email", "username"]), (.password, ["password"]),
        (.signup, ["email", "username"]), (.signup, ["password"]),
        (.code, ["email", "username"]), (.codeVerify, ["email", "username", "attempt"]), (.codeVerify, ["code"]),
        (.apple, ["identity_token"]), (.refresh, ["refresh_token"]), (.logout, ["refresh_token", "access_token"]),
        (.logoutAll, ["access_token"]), (.me, ["access_token"]), (.sessionList, ["access_token"]),
        (.sessionRevoke, ["access_token"]), (.sessionRevoke, ["id"]),
    ]

    private static func isPrefix(_ text: String) -> Bool {
        let segments = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return segments.count > 1 && segments[0].isEmpty
            && segments.dropFirst().allSatisfy { segment in
                !segment.isEmpty
                    && segment.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
            }
    }
}
