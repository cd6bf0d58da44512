// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import Hummingbird
import NIOCore

/// How pages are sent: nothing but their own stylesheet and pictures, in no frame, in no cache.
enum PageResponse {
    /// No script at all, and no exception from that.
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

    /// For files whose names change with their content.
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
        // Not no-referrer: browsers would write `Origin: null` into this site's own forms.
        headers.set("Referrer-Policy", "same-origin")
        headers.set("X-Frame-Options", "DENY")
        headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        // Browsers complain of it where they do not believe in the origin.
        if isSecure { headers.set("Cross-Origin-Opener-Policy", "same-origin") }
        // What one browser is shown is not for another.
        headers[.vary] = "Cookie"
        return headers
    }
}

extension HTTPFields {
    fileprivate mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
