// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Attaches the access token, follows redirects, and replays a request once after a refused token.
struct RequestPipeline: Sendable {
    let contract: Contract
    let transport: any HTTPTransport
    let tokens: TokenSource
    /// Who may see the access token.
    let origins: Set<Origin>

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard isPermitted(request) else { return try await follow(request, with: nil).answer }
        guard let token = try await tokens.token(for: .good) else { throw SessionError.signedOut(nil) }
        let (first, sawToken) = try await follow(request, with: token)
        // Somebody who was redirected to and has not seen the token cannot have refused it.
        guard sawToken, first.1.statusCode >= 400,
            contract.classify(Answer(first.0, first.1), on: .api) == .accessExpired
        else { return first }
        // A stream is used up. The refresh is for the next request; this one's answer is the caller's.
        guard request.httpBodyStream == nil else {
            tokens.refreshInBackground(replacing: token)
            return first
        }
        guard let newer = try await tokens.token(for: .replacing(token.value)) else { return first }
        // Whatever comes now is the caller's: a second refresh would not help.
        return try await follow(request, with: newer).answer
    }

    private func isPermitted(_ request: URLRequest) -> Bool {
        Origin(request.url).map(origins.contains) ?? false
    }

    /// Sends a request, and follows redirects; the token stays behind where they leave the origin.
    private func follow(
        _ request: URLRequest,
        with token: AccessToken?
    ) async throws -> (answer: (Data, HTTPURLResponse), sawToken: Bool) {
        var request = request
        var sawToken = token != nil
        if let token { request.setValue("Bearer \(token.value)", forHTTPHeaderField: "Authorization") }
        for _ in 0..<Redirect.limit {
            let answer = try await transport.data(for: request)
            guard let next = Redirect.request(after: answer.1, to: request) else { return (answer, sawToken) }
            sawToken = sawToken && next.value(forHTTPHeaderField: "Authorization") != nil
            request = next
        }
        return (try await transport.data(for: request), sawToken)
    }
}
