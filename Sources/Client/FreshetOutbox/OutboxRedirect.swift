// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A change that redirects made to the sent request.
enum OutboxRedirect: Equatable {
    /// The response refers to another resource (303), or the request was repeated as a GET.
    case otherMethod
    /// The response redirects to another origin, or comes from one.
    case otherOrigin

    /// Compares the request of a response with the original one; `nil` if the requests are equivalent.
    ///
    /// - Parameters:
    ///   - sent: The original request.
    ///   - answered: The request of the response, after redirects.
    ///   - response: The response.
    init?(sent: URLRequest, answered: URLRequest, _ response: HTTPURLResponse) {
        let origin = Origin(sent.url)
        if Origin(answered.url) != origin || Origin(response.url ?? sent.url) != origin
            || Redirect.isCrossOrigin(response, to: answered)
        {
            self = .otherOrigin
        } else if response.statusCode == 303 || answered.httpMethod ?? "GET" != sent.httpMethod ?? "GET" {
            self = .otherMethod
        } else {
            return nil
        }
    }
}
