// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A response of a fake backend.
package struct BackendResponse: Sendable, Equatable {
    /// The status.
    package var status: Int
    /// The header fields.
    package var headers: BackendHeaders
    /// The body; empty if there is none.
    package var body: Data

    /// Creates a response from its parts.
    package init(_ status: Int, headers: BackendHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a JSON response that caches must not store, as many contain tokens.
    static func json(_ status: Int, _ body: BackendJSON) -> BackendResponse {
        let headers: BackendHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        return BackendResponse(status, headers: headers, body: Data(body.text.utf8))
    }
}

extension BackendResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the names of the header fields; the values may be tokens.
    package var description: String { "BackendResponse(\(status), \(headers), \(body.count) bytes)" }
    /// The same as ``description``.
    package var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
