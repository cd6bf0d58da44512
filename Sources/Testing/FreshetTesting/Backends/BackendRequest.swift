// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A request that a fake backend receives.
public struct BackendRequest: Sendable, Equatable {
    /// The method, in upper case.
    public var method: String
    /// The host of the request, with the port if one was given; a fake backend answers for any host.
    public var host: String?
    /// The path, without the query.
    public var path: String
    /// The decoded query.
    public var query: [URLQueryItem]
    /// The header fields.
    public var headers: BackendHeaders
    /// The body; empty if there is none.
    public var body: Data

    /// Creates a request from its parts.
    package init(
        _ method: String,
        _ path: String,
        host: String? = nil,
        query: [URLQueryItem] = [],
        headers: BackendHeaders = [:],
        body: Data = Data()
    ) {
        self.method = method.uppercased()
        self.host = host
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// Creates a request with a JSON body, and with a bearer token if one is given.
    package init(_ method: String, _ path: String, json: [String: String], bearer: String? = nil) {
        let body = try? JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
        self.init(method, path, headers: ["Content-Type": "application/json"], body: body ?? Data())
        self.bearer = bearer
    }

    /// The bearer token in the Authorization header, an access token or a refresh token.
    public var bearer: String? {
        get {
            let parts = headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
            return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
        }
        set { headers["Authorization"] = newValue.map { "Bearer \($0)" } }
    }

    /// The path and the query, for the location of a redirect.
    var target: String {
        var parts = URLComponents()
        parts.path = path
        if !query.isEmpty { parts.queryItems = query }
        return parts.string ?? path
    }

    /// All parts of the request that may be a token.
    package var possibleTokens: [Substring] {
        let texts = [path] + query.compactMap(\.value) + headers.fields.values + [String(decoding: body, as: UTF8.self)]
        return texts.flatMap { text in
            text.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0)) }
        }
    }
}

extension BackendRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, the path and the names of the header fields; the values may be tokens.
    public var description: String { "BackendRequest(\(method) \(path), \(headers), \(body.count) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
