// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
package import HTTPTypes

/// The owners of all routes, to detect contracts whose paths collide with those of other contracts or of the server.
package struct RouteRegistry {
    /// A method and a path pattern.
    struct Place: Hashable, Comparable {
        var method: HTTPRequest.Method
        var pattern: RoutePattern

        static func < (a: Place, b: Place) -> Bool {
            (a.pattern.path, a.method.rawValue) < (b.pattern.path, b.method.rawValue)
        }
    }

    private struct Claim {
        var place: Place
        /// The contract; `nil` for the native routes.
        var contract: String?
        var prefix = ""
    }

    private var claims: [Claim]

    /// Creates a registry with the server's own routes.
    package init(_ routes: [(method: HTTPRequest.Method, path: String)]) {
        claims = routes.map { method, path in
            Claim(place: Place(method: method, pattern: RoutePattern(path: path)))
        }
    }

    /// Registers a route of a contract, unless its path can match another owner's.
    ///
    /// Two owners can share a path with different methods, if their patterns are identical.
    mutating func claim(_ place: Place, for contract: ServedContract) throws(ServedContractError) {
        for claim in claims {
            let isOwn = claim.contract == contract.name && claim.prefix == contract.prefix
            let isSamePath = claim.place.pattern.path == place.pattern.path
            guard
                isSamePath ? claim.place.method == place.method : !isOwn && claim.place.pattern.overlaps(place.pattern)
            else { continue }
            let here = "\(place.method) \(place.pattern)"
            if isOwn { throw ServedContractError("'\(contract.name)' has two answers at \(here)") }
            let other = claim.contract.map { "the contract '\($0)'" } ?? "this server itself"
            let there = isSamePath ? "" : " as \(claim.place.pattern)"
            throw ServedContractError(
                "the contract '\(contract.name)' and \(other) both answer \(here)\(there): "
                    + "give the contract a prefix of its own, as in --contract \(contract.name)=/\(contract.name)"
            )
        }
        claims.append(Claim(place: place, contract: contract.name, prefix: contract.prefix))
    }
}
