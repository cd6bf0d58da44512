// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// An HTTP answer as a contract looks at it.
package struct HTTPReply: Sendable, Masked {
    var status: Int
    /// By names in small letters.
    private(set) var headers: [String: String]
    var body: Data
    /// What the server's clock would show by its earlier answers.
    var expectedServerTime: Double?

    init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        // Some servers write one field's name in two ways, and some transports then keep two fields (RFC 9110 section 5.3).
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

    /// The media type alone, in small letters.
    var mediaType: String? {
        header("content-type")?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Whether the body says that it is JSON.
    var isJSON: Bool { mediaType?.contains("json") ?? false }

    /// Whether the body is a page: a captive portal's or a proxy's, and never an answer to a token request.
    var isPage: Bool {
        if let mediaType, mediaType.contains("html") { return true }
        let start = body.first { !" \r\n\t".utf8.contains($0) }
        return start == UInt8(ascii: "<")
    }

    /// Whether the body is an HTML document.
    ///
    /// A media type alone does not say so: some servers call every answer `text/html`.
    package var isHTMLDocument: Bool {
        let start = body.drop { " \r\n\t".utf8.contains($0) }.prefix(16)
        guard start.first == UInt8(ascii: "<") else { return false }
        if let mediaType { return mediaType.contains("html") }
        let text = String(decoding: start, as: UTF8.self).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// The value of a cookie that the answer sets (RFC 6265 section 5.2); the last one counts.
    ///
    /// A cookie that the answer deletes, with an empty value or a lifetime that is over, is not set: backends delete the
    /// one of an older path beside the new one.
    func cookie(_ name: String) -> String? {
        guard let header = header("set-cookie") else { return nil }
        let cookies = SetCookie.all(in: header)
        return cookies.last { $0.name == name && !$0.isDeletion(at: serverTime) }?.value
    }

    /// The server's clock when it answered, in seconds since 1970.
    var serverTime: Double? { dateHeaderTime ?? expectedServerTime }

    /// The same as the answer itself says it (RFC 9110 section 6.6.1).
    var dateHeaderTime: Double? { header("date").flatMap(HTTPDate.secondsSince1970) }

    /// What `Retry-After` asks for, as seconds or as a date by the server's own clock.
    package var retryDelay: Duration? {
        guard let text = header("retry-after")?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400 * 365)) : nil }
        // More digits than a number has: a very long time (RFC 9110 section 5.6).
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(86_400 * 365) }
        guard let at = HTTPDate.secondsSince1970(text), let now = serverTime else { return nil }
        return .seconds(min(max(0, at - now), 86_400 * 365))
    }
}
