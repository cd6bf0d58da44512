// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A request that a fake backend has received, and its outcome.
public struct BackendExchange: Sendable, Equatable {
    /// The request; its description contains no token.
    public var request: BackendRequest
    /// The endpoint of the request.
    public var endpoint: BackendEndpoint
    /// The names of the tokens that the request carried, anywhere in it.
    ///
    /// A token is named by its number: `access-2` is the second access token that this backend issued. A bearer token
    /// that the backend never issued is named `unknown`.
    public var tokens: [String]
    /// The status of the response; `nil` if none was sent.
    public var status: Int?

    /// Creates the record of a request.
    package init(request: BackendRequest, endpoint: BackendEndpoint, tokens: [String], status: Int?) {
        self.request = request
        self.endpoint = endpoint
        self.tokens = tokens
        self.status = status
    }
}
