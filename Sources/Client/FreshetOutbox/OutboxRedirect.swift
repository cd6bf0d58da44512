// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// How a redirect made another request of the one that was sent.
enum OutboxRedirect: Equatable {
    /// The request was answered with a reference to another resource (303), or sent again as a GET.
    case otherMethod
    /// The answer refers to another origin, or comes from one.
    case otherOrigin

    /// Compares an answer with what was sent; `nil` if it is an answer to that.
    ///
    /// - Parameters:
    ///   - sent: The request that was to be delivered.
    ///   - answered: The request that was answered, after redirects.
    ///   - response: The answer.
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
