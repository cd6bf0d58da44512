// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// The rules for following a redirect (RFC 9110 section 15.4).
package enum Redirect {
    static let limit = 10

    /// The redirects that a request follows.
    enum Rule: Sendable {
        case all
        /// Redirects within the origin, except 303.
        ///
        /// A 303 names another resource, and does not say whether the request was processed (RFC 9110 section 15.4.4).
        case sameOrigin

        /// Whether a response, if it is a redirect, may be followed.
        func allows(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
            switch self {
            case .all: true
            case .sameOrigin: response.statusCode != 303 && !Redirect.isCrossOrigin(response, to: request)
            }
        }
    }

    /// The header fields that describe a body, and are removed with it.
    private static let bodyHeaders = ["Type", "Length", "Encoding", "Language", "Location"].map { "Content-\($0)" }

    /// Returns the target of a redirect; `nil` for another response.
    private static func target(of response: HTTPURLResponse, to request: URLRequest) -> URL? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location")
        else { return nil }
        return URL(string: location, relativeTo: request.url)?.absoluteURL
    }

    /// Whether a response redirects to an origin other than the request's.
    package static func isCrossOrigin(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
        guard let target = target(of: response, to: request) else { return false }
        return Origin(target) != Origin(request.url)
    }

    /// Returns the request that follows a redirect.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request that it answers.
    ///   - body: The source of the request's body.
    ///   - secretHeaders: Header fields that another origin must not see.
    /// - Returns: `nil` if the response is not a redirect, or must not be followed because it leads to an unencrypted
    ///   origin or the body cannot be sent again.
    static func request(
        after response: HTTPURLResponse,
        to request: URLRequest,
        _ body: HTTPRequestBody = .inRequest,
        dropping secretHeaders: [String] = ["Authorization"]
    ) -> (request: URLRequest, body: HTTPRequestBody)? {
        guard let url = target(of: response, to: request),
            let old = Origin(request.url), let new = Origin(url),
            new.isEncrypted || !old.isEncrypted
        else { return nil }
        var next = request
        var nextBody = body
        next.url = url
        let method = request.httpMethod ?? "GET"
        let becomesGet = response.statusCode == 303 && method != "HEAD"
        if becomesGet || ([301, 302].contains(response.statusCode) && method == "POST") {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            nextBody = .inRequest
            for name in bodyHeaders { next.setValue(nil, forHTTPHeaderField: name) }
        } else if request.httpBodyStream != nil {
            return nil
        }
        if new != old {
            for name in secretHeaders + ["Authorization", "Cookie"] { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return (next, nextBody)
    }
}
