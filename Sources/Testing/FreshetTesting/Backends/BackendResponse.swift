// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// An answer of a backend's double.
package struct BackendResponse: Sendable, Equatable {
    /// The status.
    package var status: Int
    /// The header fields.
    package var headers: BackendHeaders
    /// The body; empty if there is none.
    package var body: Data

    /// An answer with these parts.
    package init(_ status: Int, headers: BackendHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer in JSON, which no cache may store: many hold tokens.
    static func json(_ status: Int, _ body: BackendJSON) -> BackendResponse {
        let headers: BackendHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        return BackendResponse(status, headers: headers, body: Data(body.text.utf8))
    }
}

extension BackendResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status; the rest may hold tokens.
    package var description: String { "BackendResponse(\(status), \(headers), \(body.count) bytes)" }
    /// The status.
    package var debugDescription: String { description }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
