// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends HTTP requests and returns responses, without any policy.
///
/// Must not follow redirects; returns the 3xx response. The session decides which origins see the access token.
public protocol HTTPTransport: Sendable {
    /// Sends a request of the app on a pooled connection, and collects the response.
    ///
    /// Stops reading beyond ``ResponseBytes/largestInMemory``.
    ///
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if the response is longer; any other error if there is no
    ///   response.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Sends a request of the app, and returns the response as soon as its head arrives.
    ///
    /// If the caller's task is cancelled before that, the transfer is cancelled.
    ///
    /// - Parameters:
    ///   - request: The request; it has no body if `body` is a file.
    ///   - body: The source of the body. Each call opens a file anew.
    /// - Returns: The response, whatever its status. Its body is still being received.
    /// - Throws: Any error if there is no response, or if the file cannot be read.
    func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse)

    /// Sends a request to a token endpoint once, on a new connection.
    ///
    /// A pooled connection may be dead, and some transports then send a request a second time or hang.
    ///
    /// A captive portal or a hostile server may send an endless response: reading stops beyond
    /// ``ResponseBytes/largestExchange``, and the connection is closed.
    ///
    /// - Parameters:
    ///   - request: The request; it has a body.
    ///   - deadline: The timeout. The session also enforces it by itself.
    /// - Returns: The response, whatever its status.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if the response is longer than that; any other error if there is
    ///   no complete response.
    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse)
}

extension HTTPTransport {
    /// Sends by ``data(for:)``, for transports that buffer everything in memory.
    public func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        var request = request
        if case .file(let file) = body { request.httpBody = try Data(contentsOf: file) }
        let (data, response) = try await data(for: request)
        return (ResponseBytes(data), response)
    }
}
