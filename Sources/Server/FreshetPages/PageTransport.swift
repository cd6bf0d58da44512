// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetHTTP
import HTTPTypes
import Hummingbird

/// The way in which requests reach a site, which determines whether browsers store its cookies and which forms are its
/// own.
package struct PageTransport: Sendable {
    /// Whether this server, or a proxy that all requests come through, terminates TLS.
    var hasTLS: Bool
    /// The site's origins in addition to the one in a request's `Host`.
    ///
    /// Some proxies change the host of requests.
    var origins: Set<String> = []

    init(hasTLS: Bool, origins: Set<String> = []) {
        self.hasTLS = hasTLS
        self.origins = origins
    }

    /// Creates the transport of a site.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of access tokens, whose origin is one of the site's.
    ///   - hasTLS: Whether this server, or a proxy that all requests come through, terminates TLS.
    package init(issuer: String, hasTLS: Bool) {
        self.init(hasTLS: hasTLS, origins: Self.origin(issuer).map { [$0] } ?? [])
    }

    /// Whether a browser would store a `Secure` cookie.
    ///
    /// On this machine it may: browsers trust `localhost`, and a proxy on it may terminate TLS.
    func isSecure(_ request: Request, _ context: ServerRequestContext) -> Bool {
        if let scheme = HTTPField.Name("X-Forwarded-Proto").flatMap({ request.headers[$0] }) {
            if scheme.lowercased().hasPrefix("https") { return true }
            // The proxy reports that its client did not use TLS.
            if hasTLS || context.peer?.isLoopback == true { return Self.isLocal(request.head.authority) }
        }
        return hasTLS || context.peer?.isLoopback == true
    }

    /// Whether a page of this site sent a form, according to header fields that scripts cannot set.
    ///
    /// For a browser that sends neither field, the form's CSRF token decides.
    func isSameOriginForm(_ request: Request) -> Bool {
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }) { return site == "same-origin" }
        guard let origin = request.headers[.origin] else { return true }
        guard let authority = request.head.authority, !authority.isEmpty else { return false }
        let host = authority.lowercased()
        return origin.lowercased() == "https://\(host)" || origin.lowercased() == "http://\(host)"
            || origins.contains(origin.lowercased())
    }

    private static func isLocal(_ authority: String?) -> Bool {
        guard let authority, let host = URL(string: "http://\(authority)")?.host(percentEncoded: true) else {
            return false
        }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }

    private static func origin(_ text: String) -> String? {
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host(percentEncoded: true) else {
            return nil
        }
        return "\(scheme)://\(host)".lowercased() + (url.port.map { ":\($0)" } ?? "")
    }
}
