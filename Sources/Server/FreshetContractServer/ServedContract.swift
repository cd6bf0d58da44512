// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract
package import FreshetEngine
package import FreshetIdentity

/// A contract as this server speaks it: the paths, bodies and errors of an app whose own client stays as it is.
package struct ServedContract: Sendable {
    package var document: ContractDocument
    /// Stands before every path; empty for the root.
    package var prefix: String

    package init(_ contract: ContractDocument, prefix: String = "") {
        self.document = contract
        self.prefix = prefix
    }

    package var name: String { document.name }

    /// How long things live: as the contract says, else as on the rest of the server.
    package func lifetimes(over others: Lifetimes) -> Lifetimes {
        var lifetimes = others
        guard let own = document.server?.lifetimes else { return others }
        lifetimes.access = own.access.map { .seconds($0) } ?? others.access
        lifetimes.idle = own.idle.map { .seconds($0) } ?? others.idle
        lifetimes.absolute = own.absolute.map { .seconds($0) } ?? others.absolute
        return lifetimes
    }

    /// Lets an operator's word win over the contract's; `nil` leaves a lifetime as it is.
    package mutating func setLifetimes(access: Duration?, idle: Duration?, absolute: Duration?) {
        func seconds(_ span: Duration) -> Double { Double(span.milliseconds) / 1000 }
        if let access { document.server?.lifetimes.access = seconds(access) }
        if let idle { document.server?.lifetimes.idle = seconds(idle) }
        if let absolute { document.server?.lifetimes.absolute = seconds(absolute) }
    }
}

extension ServedContract {
    /// What its sessions are opened under.
    package var sessionPolicy: SessionPolicy {
        SessionPolicy(contract: name, mode: document.server?.rotation == .static ? .static : .plain)
    }

    /// Refuses what this server could not do for the contract's clients.
    package func validate() throws(ServedContractError) {
        guard let server = document.server else {
            throw ServedContractError(
                "the contract '\(name)' has no `server` section, so there is nothing to answer with"
            )
        }
        guard prefix.isEmpty || Self.isPrefix(prefix) else {
            throw ServedContractError("'\(prefix)' is no prefix for '\(name)': write '/' and words, as in '/\(name)'")
        }
        let lifetimes = server.lifetimes
        for seconds in [lifetimes.access, lifetimes.idle, lifetimes.absolute] where seconds.map({ $0 <= 0 }) ?? false {
            throw ServedContractError("a lifetime of '\(name)' is not longer than nothing")
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

    /// Whether a request has what this server must know to act on it.
    static func isComplete(_ name: EndpointName, _ endpoint: Endpoint, _ values: TemplateValues) -> Bool {
        needs.allSatisfy { other, needed in
            other != name || needed.contains { values[$0]?.text != nil }
                || (endpoint.attachesAccessToken && needed.contains("access_token"))
        }
    }

    /// What a request must bring, one of the names at least, for this server to act on it.
    private static let needs: [(EndpointName, Set<String>)] = [
        (.password, ["email", "username"]), (.password, ["password"]),
        (.signup, ["email", "username"]), (.signup, ["password"]),
        (.code, ["email", "username"]), (.codeVerify, ["email", "username", "attempt"]), (.codeVerify, ["code"]),
        (.apple, ["identity_token"]), (.refresh, ["refresh_token"]), (.logout, ["refresh_token", "access_token"]),
        (.logoutAll, ["access_token"]), (.me, ["access_token"]), (.sessionList, ["access_token"]),
        (.sessionRevoke, ["access_token"]), (.sessionRevoke, ["id"]),
    ]

    private static func isPrefix(_ text: String) -> Bool {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        return words.count > 1 && words[0].isEmpty
            && words.dropFirst().allSatisfy { word in
                !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
            }
    }
}
