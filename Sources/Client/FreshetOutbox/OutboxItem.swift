// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request as it rests in the outbox: a line of JSON, then the body as it is.
///
/// It holds no token; what it does hold is the user's, so it prints a mask.
struct OutboxItem: Equatable, Sendable, Masked {
    /// The oldest version that reads what this one writes; members that are not known are passed over.
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
        /// Absent where the app left the default.
        var timeout: Double?
        /// How many bytes follow the line; a file that ends earlier is damaged.
        var length: Int
    }

    /// Takes over a request, without anything in it that says who sends it.
    ///
    /// - Parameters:
    ///   - request: What is to be sent.
    ///   - key: The header that carries the item's key, and the key; a header that the app set itself stays.
    ///   - secretHeaders: The headers by which the session says who sends a request.
    /// - Throws: ``OutboxError/unsupportedRequest(_:)`` if it cannot be kept.
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
        body = request.httpBody ?? Data()
        header = Header(
            method: request.httpMethod ?? "GET",
            url: url.absoluteString,
            headers: headers,
            timeout: request.timeoutInterval == 60 ? nil : request.timeoutInterval,
            length: body.count
        )
    }

    var mask: String { "OutboxItem(•••)" }

    /// What to send, without a token; `nil` if the URL is none here.
    var request: URLRequest? {
        guard let url = URL(string: header.url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = header.method
        for (name, value) in header.headers { request.setHeader(value, for: name) }
        // Any number may stand in the file; transports make a duration of it.
        if let timeout = header.timeout { request.timeoutInterval = min(max(timeout, 1), Self.longestTimeout) }
        if !body.isEmpty { request.httpBody = body }
        return request
    }

    // MARK: Its file

    /// - Returns: `nil` if these are not all the bytes of an item, or those of a later version.
    init?(decoding bytes: Data) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(Header.self, from: bytes[..<end]),
            header.version == Self.version, bytes.endIndex - end - 1 == header.length
        else { return nil }
        self.header = header
        body = bytes[(end + 1)...]
    }

    /// Whether these bytes begin as an item of a version that is not known here.
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
            throw .unsupportedRequest("its headers cannot be written down")
        }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(body)
        return bytes
    }
}
