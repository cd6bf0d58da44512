// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A response of 400 or more with an incomplete body, which may still identify a refusal.
package struct PartialResponse: Error, Masked {
    let data: Data
    let response: HTTPURLResponse
    /// The error of the body, which is thrown to callers.
    package let error: any Error

    package var mask: String { "\(response.statusCode), and then \(error)" }
}
