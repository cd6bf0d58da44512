// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A method and a path that the fast path serves.
package struct FastPathEndpoint: Equatable, Sendable {
    /// Whether requests have a JSON body.
    package let hasBody: Bool
    /// The only accepted first line of a request, with its line ending.
    let requestLine: [UInt8]

    package init(method: String, path: String, hasBody: Bool) {
        self.hasBody = hasBody
        requestLine = Array("\(method) \(path) HTTP/1.1\r\n".utf8)
    }
}
