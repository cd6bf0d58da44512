// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request in the format of the outbox: a line of JSON, followed by the body.
///
/// It contains no token, but the user's data, so its description is redacted.
struct OutboxItem: Equatable, Sendable, Masked {
    /// The format's version; readers of this version ignore unknown members.
    static let version = 1

    /// A week, in seconds, as `URLSession` limits a resource.
    private static let longestTimeout: Double = 7 * 86_400

    private var header: Header
    private(set) var body: Data

    private struct Header: Codable, Equatable {
        var version = OutboxItem.version
        var method: String
        var url: String
        var headers: [String: String]
        /// The request's timeout; `nil` if the app kept the default.
        var timeout: Double?
        /// The number of bytes after the line; a shorter file is damaged.
        var length: Int
    }

    /// Creates an item from a request, without its credentials.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The header field of the item's key, and the key; a field that the app set is kept.
    ///   - secretHeaders: The header fields with the session's credentials.
    /// - Throws: ``OutboxError/unsupportedRequest(_:)`` if it cannot be stored.
    init(_ request: URLRequest, key: (header: String, value: String)?, dropping secretHeaders: [String])
        throws(OutboxError)
    {
        guard let url = request.url?.absoluteURL, Origin(url) != nil else {
            throw .unsupportedRequest("it has no absolute http or https URL")
        }
        guard request.httpBodyStream == nil else { throw .unsupportedRequest("its body is a stream") }
        let secrets = Set((secretHeaders + ["Authorization", "Proxy-Authorization", "Cookie"]).map { $0.lowercased() })
        var headers = (request.allHTTPHeaderFields ?? [:]).filter { !secrets.contains($0.key.lowercased()) }
        if let key, !headers.keys.contains(where: { $0.lowercased() == key.header.lowercased() }) {
            headers[key.header] = key.value
        }
        let method = request.httpMethod ?? "GET"
        guard Self.isToken(method) else { throw .unsupportedRequest("its method is not a method of HTTP") }
        if let name = Self.invalidField(of: headers) {
            let place = Self.isToken(name) ? "its header field '\(name)'" : "the name of a header field"
            throw .unsupportedRequest("\(place) has characters that HTTP does not allow")
        }
        body = request.httpBody ?? Data()
        header = Header(
            method: method,
            url: url.absoluteString,
            headers: headers,
            timeout: request.timeoutInterval == 60 ? nil : request.timeoutInterval,
            length: body.count
        )
    }

    var mask: String { "OutboxItem(•••)" }

    /// The first header field that no transport can send, so that its item would be in the way of all that follow.
    private static func invalidField(of headers: [String: String]) -> String? {
        headers.keys.sorted().first { name in !isToken(name) || headers[name].map(isFieldValue) == false }
    }

    /// Whether a text is a token of RFC 9110 (section 5.6.2), as methods and names of header fields are.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether a text has no control characters but tabs (RFC 9110, section 5.5).
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// The request, without a token; `nil` if its URL is invalid on this system.
    var request: URLRequest? {
        guard let url = URL(string: header.url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = header.method
        for (name, value) in header.headers { request.setHeader(value, for: name) }
        // The file may contain any number, and transports convert it to a duration.
        if let timeout = header.timeout { request.timeoutInterval = min(max(timeout, 1), Self.longestTimeout) }
        if !body.isEmpty { request.httpBody = body }
        return request
    }

    // MARK: File format

    /// Decodes an item; `nil` if the bytes are not a complete item of this version.
    init?(decoding bytes: Data) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(Header.self, from: bytes[..<end]),
            header.version == Self.version, bytes.endIndex - end - 1 == header.length,
            // An earlier version stored such requests.
            Self.isToken(header.method), Self.invalidField(of: header.headers) == nil
        else { return nil }
        self.header = header
        body = bytes[(end + 1)...]
    }

    /// Whether these bytes start as an item of a newer version.
    static func isOfNewerVersion(_ bytes: Data) -> Bool {
        struct Version: Decodable { var version: Int }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(Version.self, from: bytes[..<end])
        else { return false }
        return header.version > version
    }

    func encoded() throws(OutboxError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var bytes = try? encoder.encode(header) else {
            throw .unsupportedRequest("its headers cannot be stored")
        }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(body)
        return bytes
    }
}
