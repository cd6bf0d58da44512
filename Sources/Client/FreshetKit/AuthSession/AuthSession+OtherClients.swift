// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    package import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Support for HTTP clients that send requests themselves.
extension AuthSession {
    /// Returns the request with the token attached as the contract requires.
    ///
    /// - Parameters:
    ///   - token: A token that this session returned.
    ///   - request: The request to be sent.
    /// - Returns: The request with the token; unchanged if it goes to a host that must not see the token.
    /// - Throws: ``SessionError/misconfigured(_:)`` if the contract needs a value that is missing.
    public func attach(_ token: AccessToken, to request: URLRequest) throws(SessionError) -> URLRequest {
        guard let origin = Origin(request.url), pipeline.origins.contains(origin) else { return request }
        var request = request
        try pipeline.attach(token, to: &request)
        return request
    }

    /// Returns the token with which to replay a request that was refused.
    ///
    /// If the session already has another token, it is returned; otherwise the session refreshes, once for all
    /// concurrent callers. A refusal reported here alone does not end the session.
    ///
    /// - Parameter refused: The token that the request was sent with.
    /// - Returns: `nil` if there is no newer token: the caller has to handle the refusal.
    /// - Throws: ``SessionError`` if the session is signed out, or no token is available now.
    public func accessToken(replacing refused: AccessToken) async throws(SessionError) -> AccessToken? {
        try await tokens.token(for: .replacing(refused, isBaseOrigin: false))
    }

    /// Whether requests to `url` may carry the token.
    package func mayCarryToken(to url: URL) -> Bool {
        Origin(url).map(pipeline.origins.contains) ?? false
    }

    /// Whether the app allows unencrypted connections, on which an attacker can read the token.
    package var allowsUnencryptedConnections: Bool { configuration.allowsUnencryptedConnectionsToOtherMachines }

    /// Returns the header fields of a request with this token, under the names in the contract.
    package func fields(with token: AccessToken) throws(SessionError) -> [(name: String, value: String)] {
        try pipeline.fields(with: token)
    }

    /// Whether a response with this status may mean that the server no longer accepts the token.
    package func mayBeRefusal(status: Int) -> Bool { pipeline.mayBeRefusal(status: status) }

    /// Whether a response means that the server no longer accepts the token.
    ///
    /// Inspects as much of the body as the session does for its own requests. The body can still be read in full.
    package func isRefusal(_ body: ResponseBytes, status: Int, headers: [String: String]) async throws -> Bool {
        try await pipeline.isRefusal(body, status: status, headers: headers)
    }

    /// Records a response, to a request with the session's token, that does not refuse the token.
    package func recordResponse(status: Int) {
        if (200...299).contains(status) { published.acceptance.signal() }
    }

    /// Starts a refresh without waiting for it.
    package func refreshInBackground(replacing refused: AccessToken) {
        tokens.refreshInBackground(for: .replacing(refused, isBaseOrigin: false))
    }
}
