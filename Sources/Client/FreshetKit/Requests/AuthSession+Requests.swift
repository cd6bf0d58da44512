// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Requests with the access token.
///
/// What holds for all of them: the token goes only to the base URL's origin and to the configured hosts; a request to
/// another host is sent without. Redirects are followed (RFC 9110 section 15.4), the token stays behind where one leaves
/// the origin, and none leads from https to http. If the server no longer takes the token, there is one refresh and one
/// replay, of what can be sent again. The answer is the caller's whatever its status, and so is a second 401. A caller's
/// cancellation ends its own transfer, and never a refresh.
///
/// They throw ``SessionError`` if there is no token to send, or the transport's error.
extension AuthSession {
    /// Sends a request and collects the answer in memory.
    ///
    /// A request with a body stream is never replayed: the stream is used up. The refusal is then the answer.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await pipeline.send(request)
    }

    /// Sends a request with these bytes as its body.
    ///
    /// - Parameters:
    ///   - request: What to send. Without a method of its own it becomes a `POST`.
    ///   - body: Its body, in place of one that it has.
    /// - Returns: The answer.
    /// - Throws: As all requests.
    public func upload(for request: URLRequest, from body: Data) async throws -> (Data, HTTPURLResponse) {
        var request = Self.withMethod(request)
        request.httpBody = body
        return try await pipeline.send(request)
    }

    /// Sends a request with a file as its body, which is read while it is sent.
    ///
    /// On Linux, a task that is cancelled while `URLSession` reads the file may, rarely, end the program: Foundation continues a
    /// transfer that is gone and does not expect the refusal (`_EasyHandle`, in Swift 6.3). `AsyncHTTPClient` does not.
    ///
    /// For a replay the file is read anew, unless it was changed meanwhile (size, time of change, identity): the refusal is
    /// then the answer.
    ///
    /// - Parameters:
    ///   - request: What to send. Without a method of its own it becomes a `POST`.
    ///   - file: A regular file. It must stay as it is until the answer is there.
    /// - Returns: The answer, of 16 MiB at most.
    /// - Throws: `POSIXError` or `URLError(.cannotOpenFile)`, before anything is sent, if the file cannot be read; else as
    ///   all requests.
    public func upload(for request: URLRequest, fromFile file: URL) async throws -> (Data, HTTPURLResponse) {
        var request = Self.withMethod(request)
        request.httpBody = nil
        request.httpBodyStream = nil
        return try await pipeline.collect(request, .file(file))
    }

    /// Sends a request and writes the answer to a file that belongs to the caller, readable by this user alone.
    ///
    /// A download that fails or is cancelled leaves no file. A killed process may leave one with a name that begins with
    /// `download-`, or `.download-` beside a destination.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - destination: Where the file belongs once it is whole; what is there is replaced in one step. Without a
    ///     destination it stays in the folder for temporary files.
    /// - Returns: Where the file is. An answer other than 2xx is not put at the destination: it lies in the folder for
    ///   temporary files.
    /// - Throws: `POSIXError` if the file cannot be made (before anything is sent), written or placed; else as all requests.
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

    /// Sends a request, and hands the answer over while it arrives.
    ///
    /// A refusal of the token is read up to 64 KiB to find out what it means; if it is not replayed, all of it is still
    /// there to be read. So is a JSON answer, where the contract says that a success may hold a refusal.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The body, and the head that came before it.
    /// - Throws: As all requests. What goes wrong later is thrown to who reads the body.
    public func bytes(for request: URLRequest) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await pipeline.deliver(request)
    }

    private static func withMethod(_ request: URLRequest) -> URLRequest {
        var request = request
        if request.httpMethod ?? "GET" == "GET" { request.httpMethod = "POST" }
        return request
    }
}
