// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// An HTTP response, as a contract reads it.
package struct HTTPReply: Sendable, Masked {
    var status: Int
    /// The header fields, by lowercase name.
    private(set) var headers: [String: String]
    var body: Data
    /// The server's time when the response was written, estimated from earlier responses.
    var expectedServerTime: Double?

    init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        // Some servers send a field name in two spellings, and some transports keep both (RFC 9110 section 5.3).
        let fields = headers.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
        self.headers = Dictionary(fields) { "\($0), \($1)" }
        self.body = body
    }

    package init(_ data: Data, _ response: HTTPURLResponse) {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        self.init(status: response.statusCode, headers: headers, body: data)
    }

    package var mask: String { "HTTPReply(\(status), •••)" }

    func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// The media type without parameters, in lower case.
    var mediaType: String? { header("content-type").flatMap(Self.mediaType) }

    /// Returns the media type of a Content-Type header field, without parameters and in lower case.
    static func mediaType(contentType: String) -> String? {
        let type = contentType.unicodeScalars.split(separator: ";").first
        return type.map { String($0).trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// Whether the media type is JSON.
    var isJSON: Bool { mediaType?.contains("json") ?? false }

    /// Whether the body is an HTML page, which comes from a captive portal or a proxy and is never a token response.
    var isPage: Bool {
        if let mediaType, mediaType.contains("html") { return true }
        let start = body.first { !" \r\n\t".utf8.contains($0) }
        return start == UInt8(ascii: "<")
    }

    /// Whether the body is an HTML document.
    ///
    /// The media type alone is not sufficient: some servers label every response `text/html`.
    package var isHTMLDocument: Bool {
        let start = body.drop { " \r\n\t".utf8.contains($0) }.prefix(16)
        guard start.first == UInt8(ascii: "<") else { return false }
        if let mediaType { return mediaType.contains("html") }
        let text = String(decoding: start, as: UTF8.self).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// Returns the value of a cookie that the response sets (RFC 6265 section 5.2); the last one counts.
    ///
    /// Ignores a cookie that the response deletes, with an empty value or an expiry in the past: backends delete the
    /// cookie of an older path in addition to setting the new one.
    func cookie(_ name: String) -> String? {
        guard let header = header("set-cookie") else { return nil }
        let cookies = SetCookie.all(in: header)
        return cookies.last { $0.name == name && !$0.isDeletion(at: serverTime) }?.value
    }

    /// The server's time of the response, in seconds since 1970.
    var serverTime: Double? { dateHeaderTime ?? expectedServerTime }

    /// The time in the response's `Date` field (RFC 9110 section 6.6.1).
    var dateHeaderTime: Double? { header("date").flatMap(HTTPDate.secondsSince1970) }
}
