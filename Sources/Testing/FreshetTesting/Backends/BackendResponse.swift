// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A response of a fake backend.
///
/// Values may contain tokens; the description contains no value.
public struct BackendResponse: Sendable, Equatable {
    /// The status.
    public var status: Int
    /// The header fields.
    public var headers: BackendHeaders
    /// The body; empty if there is none.
    public var body: Data

    /// Creates a response from its parts.
    public init(_ status: Int, headers: BackendHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a JSON body that caches must not store.
    public init(_ status: Int = 200, json: String) {
        let headers: BackendHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        self.init(status, headers: headers, body: Data(json.utf8))
    }
}

extension BackendResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the names of the header fields; the values may be tokens.
    public var description: String { "BackendResponse(\(status), \(headers), \(body.count) bytes)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
