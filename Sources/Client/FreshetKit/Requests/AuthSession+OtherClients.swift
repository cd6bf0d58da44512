// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    package import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// For HTTP clients that send requests themselves.
extension AuthSession {
    /// Returns the request as this session would send it with the token.
    ///
    /// - Parameters:
    ///   - token: One that this session handed out.
    ///   - request: What is to be sent.
    /// - Returns: The request with the token where the contract wants it; unchanged if it goes to a host that must not
    ///   see the token.
    /// - Throws: ``SessionError/contractFault(_:)`` if the contract wants a value that is not there.
    public func attach(_ token: AccessToken, to request: URLRequest) throws(SessionError) -> URLRequest {
        guard let origin = Origin(request.url), pipeline.origins.contains(origin) else { return request }
        var request = request
        try pipeline.attach(token, to: &request)
        return request
    }

    /// Returns the token to replay a request with that was refused.
    ///
    /// If the session has another token already, it is that one; else it is refreshed, once for all who ask. A refusal
    /// reported here ends no session by itself.
    ///
    /// - Parameter refused: What the request was sent with.
    /// - Returns: `nil` if there is no better token: the refusal is the caller's.
    /// - Throws: ``SessionError`` if there is no token any more, or none for now.
    public func accessToken(replacing refused: AccessToken) async throws(SessionError) -> AccessToken? {
        try await tokens.token(for: .replacing(refused, isBaseOrigin: false))
    }

    /// Whether requests to a place may carry the token.
    package func mayCarryToken(to url: URL) -> Bool {
        Origin(url).map(pipeline.origins.contains) ?? false
    }

    /// Whether the app has decided that others on the way may see the token.
    package var allowsUnencryptedConnections: Bool { configuration.allowsUnencryptedConnectionsToOtherMachines }

    /// What requests carry beside and with a token, by names as the contract writes them.
    package func fields(with token: AccessToken) throws(SessionError) -> [(name: String, value: String)] {
        try pipeline.fields(with: token)
    }

    /// Whether an answer with this status may say that the token is no longer taken.
    package func mayBeRefusal(status: Int) -> Bool { pipeline.mayBeRefusal(status: status) }

    /// Whether an answer says that the token is no longer taken, by as much of its body as requests of the session look at.
    ///
    /// All of the body stays to be read.
    package func isRefusal(_ body: ResponseBytes, status: Int, headers: [String: String]) async throws -> Bool {
        try await pipeline.isRefusal(body, status: status, headers: headers)
    }

    /// Tells of an answer to a call with the session's token that is no refusal of it.
    package func recordResponse(status: Int) {
        if (200...299).contains(status) { published.acceptance.signal() }
    }

    /// Lets a refresh begin that nobody waits for.
    package func refreshInBackground(replacing refused: AccessToken) {
        tokens.refreshInBackground(for: .replacing(refused, isBaseOrigin: false))
    }
}
