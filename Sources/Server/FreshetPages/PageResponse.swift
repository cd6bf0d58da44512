// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import Hummingbird
import NIOCore

/// The headers of pages: only own stylesheets and images, no framing, no caching.
enum PageResponse {
    /// The content security policy, which allows no scripts.
    static let policy = [
        "default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
        "base-uri 'none'",
    ].joined(separator: "; ")

    static func html(_ text: String, status: HTTPResponse.Status, isSecure: Bool) -> Response {
        var headers = headers(isSecure: isSecure)
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func seeOther(_ path: String) -> Response {
        var headers = headers(isSecure: true)
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }

    /// The header fields of files whose names change with their content.
    static var assetHeaders: HTTPFields {
        var headers = HTTPFields()
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        headers[.xContentTypeOptions] = "nosniff"
        headers.set("Cross-Origin-Resource-Policy", "same-origin")
        return headers
    }

    private static func headers(isSecure: Bool) -> HTTPFields {
        var headers = assetHeaders
        headers[.cacheControl] = "no-store"
        headers[.contentSecurityPolicy] = policy
        // `no-referrer` is not used: browsers would send `Origin: null` with this site's own forms.
        headers.set("Referrer-Policy", "same-origin")
        headers.set("X-Frame-Options", "DENY")
        headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        // Browsers log a warning about this field for an origin that is not trustworthy.
        if isSecure { headers.set("Cross-Origin-Opener-Policy", "same-origin") }
        // The response depends on the browser's cookie.
        headers[.vary] = "Cookie"
        return headers
    }
}

extension HTTPFields {
    fileprivate mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
