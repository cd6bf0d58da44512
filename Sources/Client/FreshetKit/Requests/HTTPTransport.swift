// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests to servers and answers back, and decides nothing.
///
/// No way follows a redirect: it hands the 3xx answer over, because who may see the access token is decided above.
public protocol HTTPTransport: Sendable {
    /// Sends a request of the app on a connection that may be shared and kept, and collects the answer.
    ///
    /// Reading stops beyond ``ResponseBytes/largestInMemory``.
    ///
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if the answer is longer; any error if there is no answer.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Sends a request of the app, and hands the answer over as soon as its head is there.
    ///
    /// If the caller's task is cancelled before that, the transfer ends.
    ///
    /// - Parameters:
    ///   - request: What to send; with a file it has no body of its own.
    ///   - body: Where the body is. A file is opened anew by each call.
    /// - Returns: The answer, whatever its status. Its body is still under way.
    /// - Throws: Any error if there is no answer, or if the file cannot be read.
    func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse)

    /// Sends a request to a token endpoint once, on a connection of its own.
    ///
    /// A connection that others used may be dead, and some transports then send a request a second time or hang.
    ///
    /// A server that is not the backend's own, or a hostile one, may answer without end: reading stops beyond
    /// ``ResponseBytes/largestExchange``, and the connection is closed.
    ///
    /// - Parameters:
    ///   - request: What to send; it has a body.
    ///   - deadline: When the answer is no longer waited for. The session keeps to it by itself, too.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if the answer is longer than that; any other error if there is no
    ///   whole answer.
    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse)
}

extension HTTPTransport {
    /// Sends by ``data(for:)``: right for a transport that has everything in memory anyway.
    public func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        var request = request
        if case .file(let file) = body { request.httpBody = try Data(contentsOf: file) }
        let (data, response) = try await data(for: request)
        return (ResponseBytes(data), response)
    }
}
