// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Attaches the access token, follows redirects, and replays a request once if its token was refused.
struct RequestPipeline: Sendable {
    let contract: Contract
    /// The values of the contract's own variables and secrets.
    let values: TemplateValues
    let transport: any HTTPTransport
    var tokens: TokenSource
    /// The origins that may receive the access token.
    let origins: Set<Origin>
    /// The origin whose rejection ends a session that cannot be refreshed.
    let baseOrigin: Origin

    /// The redirects that are followed.
    var redirects = Redirect.Rule.all

    /// A response, and the request that it answers.
    struct Reply<Body: HTTPResponseBody> {
        var answer: (Body, HTTPURLResponse)
        /// Whether the server that responded had received the token.
        var receivedToken: Bool
        /// The request that it answers: the first one, or the last of a chain of redirects.
        var request: URLRequest
    }

    /// Sends a request whose body is in memory, and collects the response.
    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await collect(request)
    }

    /// Sends a request, and collects the response in memory.
    func collect(_ request: URLRequest, _ body: HTTPRequestBody = .inRequest) async throws -> (Data, HTTPURLResponse) {
        let (collected, response): (CollectedBody, HTTPURLResponse) = try await deliver(request, body)
        return (try collected.whole(), response)
    }

    func deliver<Body: HTTPResponseBody>(
        _ request: URLRequest,
        _ body: HTTPRequestBody = .inRequest
    ) async throws -> (Body, HTTPURLResponse) {
        let reply: Reply<Body> = try await exchange(request, body)
        return reply.answer
    }

    func exchange<Body: HTTPResponseBody>(
        _ request: URLRequest,
        _ body: HTTPRequestBody = .inRequest
    ) async throws -> Reply<Body> {
        let file = try body.fingerprint()
        guard let origin = Origin(request.url), origins.contains(origin) else {
            return try await follow(request, body, file, with: nil)
        }
        guard let token = try await tokens.token(for: .valid) else { throw SessionError.signedOut(nil) }
        let first: Reply<Body> = try await follow(request, body, file, with: token)
        // A redirect target that did not receive the token cannot have refused it.
        guard first.receivedToken, try await isRefusal(first.answer) else {
            if first.receivedToken { reportAcceptance(first.answer.1) }
            return first
        }
        let need = TokenRequirement.replacing(
            token,
            isBaseOrigin: origin == baseOrigin && Origin(first.answer.1.url) == baseOrigin
        )
        // The body stream is consumed. The refresh serves the next request; this response is returned.
        guard mayReplay(request, body, file) else {
            tokens.refreshInBackground(for: need)
            return first
        }
        // The file may have changed during the refresh.
        guard let newer = try await tokens.token(for: need), mayReplay(request, body, file) else { return first }
        tokens.published.emit(.replayed)
        // Releases the refused request's connection before the replay.
        first.answer.0.discard()
        // The second response is returned: a further refresh would not help.
        let second: Reply<Body> = try await follow(request, body, file, with: newer)
        tokens.published.emit(.replayAnswered(status: second.answer.1.statusCode))
        if second.receivedToken, !mayBeRefusal(status: second.answer.1.statusCode) { reportAcceptance(second.answer.1) }
        return second
    }

    /// Signals that the server accepts the token, if the response shows it.
    private func reportAcceptance(_ response: HTTPURLResponse) {
        if (200...299).contains(response.statusCode) { tokens.published.acceptance.signal() }
    }

    /// Whether the response means that the server no longer accepts the access token.
    ///
    /// Includes responses that say the session has ended: the refresh verifies that.
    private func isRefusal<Body: HTTPResponseBody>(_ answer: (Body, HTTPURLResponse)) async throws -> Bool {
        guard mayBeRefusal(status: answer.1.statusCode) else { return false }
        return isRefusal(HTTPReply(try await answer.0.inspectedBody(of: answer.1, on: tokens.clock), answer.1))
    }

    /// Whether the response means that the access token is no longer accepted, for a client's own response type.
    ///
    /// The body can still be read.
    func isRefusal(_ body: ResponseBytes, status: Int, headers: [String: String]) async throws -> Bool {
        var answer = HTTPReply(status: status, headers: headers)
        answer.body = try await body.inspectedBody(
            status: status,
            contentType: answer.header("content-type"),
            on: tokens.clock
        )
        return isRefusal(answer)
    }

    /// Whether a response with this status has to be classified.
    func mayBeRefusal(status: Int) -> Bool { status >= 400 || contract.classifier.inspectsSuccesses }

    func isRefusal(_ answer: HTTPReply) -> Bool {
        switch contract.classify(answer, on: .api) {
        case .accessExpired, .sessionEnded: true
        default: false
        }
    }

    private func mayReplay(_ request: URLRequest, _ body: HTTPRequestBody, _ file: FileFingerprint?) -> Bool {
        guard request.httpBodyStream == nil, (try? body.fingerprint()) == file else { return false }
        return contract.document.replayMethods?.contains(request.httpMethod ?? "GET") ?? true
    }

    func attach(_ token: AccessToken, to request: inout URLRequest) throws(SessionError) {
        for (name, value) in try fields(with: token) { request.setHeader(value, for: name) }
    }

    /// Returns the header field with the token, and the accompanying fields.
    func fields(with token: AccessToken) throws(SessionError) -> [(name: String, value: String)] {
        do { return try contract.document.requestAuthorization.fields(with: token.value, values) } catch let missing {
            throw .misconfigured("there is no value for '\(missing.name)'")
        }
    }

    /// Sends a request, and follows redirects; the token is dropped when one leaves the origin.
    private func follow<Body: HTTPResponseBody>(
        _ request: URLRequest,
        _ body: HTTPRequestBody,
        _ file: FileFingerprint?,
        with token: AccessToken?
    ) async throws -> Reply<Body> {
        var (request, body) = (request, body)
        var receivedToken = token != nil
        if let token { try attach(token, to: &request) }
        let attachment = contract.document.requestAuthorization
        for _ in 0..<Redirect.limit {
            let answer = try await Body.fetch(request, body, over: transport)
            guard redirects.allows(answer.1, to: request),
                let next = Redirect.request(after: answer.1, to: request, body, dropping: attachment.headerNames)
            else { return Reply(answer: answer, receivedToken: receivedToken, request: request) }
            if case .file = next.body, try next.body.fingerprint() != file {
                return Reply(answer: answer, receivedToken: receivedToken, request: request)
            }
            answer.0.discard()
            receivedToken = receivedToken && next.request.value(forHTTPHeaderField: attachment.header) != nil
            (request, body) = next
        }
        let last = try await Body.fetch(request, body, over: transport)
        return Reply(answer: last, receivedToken: receivedToken, request: request)
    }
}
