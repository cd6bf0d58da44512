// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

extension Origin {
    /// The origin of a base URL.
    static func of(_ baseURL: URL) throws(SessionError) -> Origin {
        guard let origin = Origin(baseURL) else { throw .misconfigured("the base URL is not an http or https URL") }
        guard baseURL.query == nil, baseURL.fragment == nil else {
            throw .misconfigured("the base URL must not have a query or a fragment")
        }
        return origin
    }

    /// Returns the origins that may receive the access token.
    ///
    /// - Parameters:
    ///   - baseURL: The backend's base URL.
    ///   - contract: The contract, which may name further hosts.
    ///   - additionalHosts: Hosts that the app names.
    ///   - allowsUnencrypted: Whether `http` to hosts other than this machine is allowed.
    /// - Returns: The origin of the base URL, and those of the contract and the app.
    /// - Throws: ``SessionError/misconfigured(_:)`` if the token could be sent to a host that must not see it.
    static func permitted(
        _ baseURL: URL,
        _ contract: Contract,
        additionalHosts: [String] = [],
        allowsUnencrypted: Bool = false
    ) throws(SessionError) -> Set<Origin> {
        let base = try of(baseURL)
        var origins: Set<Origin> = [base]
        for host in contract.document.requestAuthorization.hosts + additionalHosts {
            guard let origin = Origin(host, scheme: base.scheme) else {
                throw .misconfigured("'\(host)' among the additional hosts is not a host")
            }
            origins.insert(origin)
        }
        let isSafe = origins.allSatisfy { $0.isEncrypted || $0.isLoopback }
        guard isSafe || allowsUnencrypted else {
            throw .misconfigured("tokens are sent over https only, except on this machine")
        }
        return origins
    }
}
