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

    /// An answer in JSON.
    static func json(_ status: Int, _ fields: [String: Any]) -> BackendResponse {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let body = try? JSONSerialization.data(withJSONObject: fields, options: options)
        return BackendResponse(status, headers: ["Content-Type": "application/json"], body: body ?? Data())
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
