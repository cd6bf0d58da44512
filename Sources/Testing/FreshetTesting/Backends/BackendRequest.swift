// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A request as a backend's double sees it.
public struct BackendRequest: Sendable, Equatable {
    /// The method, in capitals.
    public var method: String
    /// The host that it was meant for, with the port where one was written; a double answers for any.
    public var host: String?
    /// The path, without the query.
    public var path: String
    /// The query, decoded.
    public var query: [URLQueryItem]
    /// The header fields.
    public var headers: BackendHeaders
    /// The body; empty if there is none.
    public var body: Data

    /// A request with these parts.
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

    /// A request with a JSON body, and a bearer token if there is one.
    package init(_ method: String, _ path: String, json: [String: String], bearer: String? = nil) {
        let body = try? JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
        self.init(method, path, headers: ["Content-Type": "application/json"], body: body ?? Data())
        self.bearer = bearer
    }

    /// The token of the Authorization field, whichever sort it is.
    public var bearer: String? {
        get {
            let parts = headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
            return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
        }
        set { headers["Authorization"] = newValue.map { "Bearer \($0)" } }
    }

    /// Path and query, as a redirect repeats them.
    var target: String {
        var parts = URLComponents()
        parts.path = path
        if !query.isEmpty { parts.queryItems = query }
        return parts.string ?? path
    }

    /// Whatever might be a token, wherever it stands.
    var words: [Substring] {
        let texts = [path] + query.compactMap(\.value) + headers.fields.values + [String(decoding: body, as: UTF8.self)]
        return texts.flatMap { text in
            text.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0)) }
        }
    }

    /// The fields of a JSON body.
    ///
    /// A body that does not say that it is JSON has none, as in the frameworks that such backends are built on.
    var fields: [String: Any] {
        guard headers["Content-Type"]?.lowercased().hasPrefix("application/json") == true else { return [:] }
        return (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
    }

    /// The text in one field of a JSON body; an empty one counts as none.
    func text(_ field: String) -> String? {
        (fields[field] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text in one field of a form.
    func formText(_ field: String) -> String? {
        guard headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return nil
        }
        // Not by `percentEncodedQuery`, which ends the process over an escape that is wrong.
        let form = URLComponents(string: "?" + String(decoding: body, as: UTF8.self).replacing("+", with: "%20"))
        return form?.queryItems?.first { $0.name == field }?.value.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension BackendRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and path; the rest may hold tokens.
    public var description: String { "BackendRequest(\(method) \(path), \(headers), \(body.count) bytes)" }
    /// Method and path.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
