// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// What a request sends after its head.
public enum HTTPRequestBody: Sendable {
    /// What lies in the request itself: its `httpBody`, its `httpBodyStream`, or nothing.
    case inRequest
    /// A file's content, read while it is sent.
    case file(URL)
}
