// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Requests with the access token.
///
/// The token is sent only to the base URL's origin and to the configured hosts; a request to another host is sent
/// without it. The session follows redirects (RFC 9110 section 15.4); it removes the token for another origin, and
/// never follows a redirect from https to http. If the server no longer accepts the token, the session refreshes once
/// and replays the request once, if its body can be sent again. The response is returned regardless of its status, even
/// if it is a second 401. Cancelling the caller's task cancels its transfer, never a refresh.
///
/// These methods throw ``SessionError`` if no token is available, or the transport's error.
extension AuthSession {
    /// Sends a request and collects the response in memory.
    ///
    /// A request with a body stream is never replayed, because the stream is consumed; the refusal is returned.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await pipeline.send(request)
    }

    /// Sends a request with `body`.
    ///
    /// - Parameters:
    ///   - request: The request. If it has no method, it is sent as a `POST`.
    ///   - body: The body, which replaces the request's own.
    /// - Returns: The response.
    /// - Throws: The errors that every request can throw.
    public func upload(for request: URLRequest, from body: Data) async throws -> (Data, HTTPURLResponse) {
        var request = Self.withMethod(request)
        request.httpBody = body
        return try await pipeline.send(request)
    }

    /// Sends a request with a file as its body, which is read while it is sent.
    ///
    /// On Linux, cancelling a task while `URLSession` reads the file may, rarely, crash the process: Foundation
    /// continues a transfer that was removed and does not expect the failure (`_EasyHandle`, in Swift 6.3). A session
    /// with `AsyncHTTPClientTransport` does not.
    ///
    /// The file is read again for a replay, unless its size, modification time or identity has changed: then the
    /// refusal is returned.
    ///
    /// - Parameters:
    ///   - request: The request. If it has no method, it is sent as a `POST`.
    ///   - file: A regular file. It must not change until the response arrives.
    /// - Returns: The response, of at most 16 MiB.
    /// - Throws: `POSIXError` or `URLError(.cannotOpenFile)`, before anything is sent, if the file cannot be read;
    ///   otherwise the errors that every request can throw.
    public func upload(for request: URLRequest, fromFile file: URL) async throws -> (Data, HTTPURLResponse) {
        var request = Self.withMethod(request)
        request.httpBody = nil
        request.httpBodyStream = nil
        return try await pipeline.collect(request, .file(file))
    }

    /// Sends a request and writes the response to a file, readable by the current user only.
    ///
    /// The caller owns the file. A failed or cancelled download leaves no file. A killed process may leave one whose
    /// name starts with `download-`, or, next to a destination, with `.download-`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The final location, replaced atomically when the file is complete. Without a destination the
    ///     file stays in the temporary directory.
    /// - Returns: The file's location. A response other than 2xx is not moved to the destination; it stays in the
    ///   temporary directory.
    /// - Throws: `POSIXError` if the file cannot be created (before anything is sent), written or moved; otherwise the
    ///   errors that every request can throw.
    public func download(
        for request: URLRequest,
        to destination: URL? = nil
    ) async throws -> (URL, HTTPURLResponse) {
        var file = try PartialFile(for: destination)
        do {
            let (bytes, response) = try await bytes(for: request)
            if destination != nil, !(200...299).contains(response.statusCode) {
                let other = try PartialFile(for: nil)
                file.remove()
                file = other
            }
            for try await chunk in bytes { try file.write(chunk) }
            return (try await file.moveIntoPlace(), response)
        } catch {
            file.remove()
            throw error
        }
    }

    /// Sends a request and streams the response.
    ///
    /// A refusal is read up to 64 KiB to classify it; if the request is not replayed, the whole body can still be read.
    /// The same holds for a JSON response, if the contract says that a success may contain a refusal.
    ///
    /// - Parameter request: The request.
    /// - Returns: The body, and the response's head.
    /// - Throws: The errors that every request can throw. Later errors are thrown to the reader of the body.
    public func bytes(for request: URLRequest) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await pipeline.deliver(request)
    }

    private static func withMethod(_ request: URLRequest) -> URLRequest {
        var request = request
        if request.httpMethod ?? "GET" == "GET" { request.httpMethod = "POST" }
        return request
    }
}
