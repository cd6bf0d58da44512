// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// The body of a request.
public enum HTTPRequestBody: Sendable {
    /// The request's own body: its `httpBody`, its `httpBodyStream`, or no body.
    case inRequest
    /// A file's content, read while it is sent.
    case file(URL)
}
