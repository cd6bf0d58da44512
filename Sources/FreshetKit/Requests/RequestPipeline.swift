// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Attaches the access token, follows redirects, and replays a request once after a refused token.
struct RequestPipeline: Sendable {
    let contract: Contract
    /// What the contract's own variables and secrets stand for.
    let values: TemplateValues
    let transport: any HTTPTransport
    var tokens: TokenSource
    /// Who may see the access token.
    let origins: Set<Origin>
    /// Who may say that a session is over which nothing can renew.
    let home: Origin

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let origin = Origin(request.url), origins.contains(origin) else {
            return try await follow(request, with: nil).answer
        }
        guard let token = try await tokens.token(for: .good) else { throw SessionError.signedOut(nil) }
        let (first, sawToken) = try await follow(request, with: token)
        // Somebody who was redirected to and has not seen the token cannot have refused it.
        guard sawToken, isRefusal(first) else { return first }
        let need = TokenNeed.replacing(token, isHome: origin == home && Origin(first.1.url) == home)
        // A stream is used up. The refresh is for the next request; this one's answer is the caller's.
        guard mayReplay(request) else {
            tokens.refreshInBackground(for: need)
            return first
        }
        guard let newer = try await tokens.token(for: need) else { return first }
        // Whatever comes now is the caller's: a second refresh would not help.
        return try await follow(request, with: newer).answer
    }

    /// Whether the answer says that the access token is no longer taken.
    ///
    /// An answer that says the whole session is over is asked about in the same way: the refresh tells for certain.
    private func isRefusal(_ answer: (Data, HTTPURLResponse)) -> Bool {
        guard answer.1.statusCode >= 400 || contract.classifier.looksAtSuccesses else { return false }
        switch contract.classify(Answer(answer.0, answer.1), on: .api) {
        case .accessExpired, .sessionEnded: return true
        default: return false
        }
    }

    private func mayReplay(_ request: URLRequest) -> Bool {
        guard request.httpBodyStream == nil else { return false }
        return contract.document.replayMethods?.contains(request.httpMethod ?? "GET") ?? true
    }

    private func attach(_ token: AccessToken, to request: inout URLRequest) throws {
        do {
            try contract.document.attachment.attach(token.value, values, to: &request)
        } catch let missing {
            throw SessionError.contractFault("there is no value for '\(missing.name)'")
        }
    }

    /// Sends a request, and follows redirects; the token stays behind where they leave the origin.
    private func follow(
        _ request: URLRequest,
        with token: AccessToken?
    ) async throws -> (answer: (Data, HTTPURLResponse), sawToken: Bool) {
        var request = request
        var sawToken = token != nil
        if let token { try attach(token, to: &request) }
        let attachment = contract.document.attachment
        for _ in 0..<Redirect.limit {
            let answer = try await transport.data(for: request)
            guard let next = Redirect.request(after: answer.1, to: request, dropping: attachment.headerNames) else {
                return (answer, sawToken)
            }
            sawToken = sawToken && next.value(forHTTPHeaderField: attachment.header) != nil
            request = next
        }
        return (try await transport.data(for: request), sawToken)
    }
}
