// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import AsyncHTTPClient
    internal import Foundation
    public import FreshetKit
    public import NIOCore
    internal import NIOHTTP1

    extension AsyncHTTPClientTransport {
        /// Sends a request with a session's access token, and once more with a new one if the server refuses that.
        ///
        /// It does for `HTTPClientRequest` what ``FreshetKit/AuthSession/bytes(for:)`` does for `URLRequest`, without the way
        /// through Foundation's types: the same answers are refusals, told by the same part of their bodies. A host that must
        /// not see the token gets the request without it. Redirects are the caller's.
        ///
        /// - Parameters:
        ///   - request: What to send.
        ///   - session: Whose token it is.
        ///   - timeout: How long the head of each answer is waited for.
        ///   - bodyIsRepeatable: Whether the body can be sent a second time, as bytes and collections can and most streams
        ///     cannot. If not, a refused request with a body is not sent again, and its answer is the caller's.
        /// - Returns: The answer. What was read of a refusal's body is there all the same.
        /// - Throws: ``FreshetKit/SessionError`` if there is no token, also if another session has taken the place of the one
        ///   that the request began in; AsyncHTTPClient's own error.
        public func execute(
            _ request: HTTPClientRequest,
            for session: AuthSession,
            timeout: TimeAmount = .seconds(60),
            bodyIsRepeatable: Bool = false
        ) async throws -> HTTPClientResponse {
            guard let url = URL(string: request.url), session.mayCarryToken(to: url) else {
                // NIO's resolver traps on a port that TCP does not have.
                guard (1...65_535).contains(URL(string: request.url)?.port ?? 1) else {
                    throw HTTPClientError.invalidURL
                }
                return try await clients.pooled.execute(request, timeout: timeout)
            }
            let token = try await session.accessToken()
            var (answer, refusal) = try await send(request, with: token, of: session, timeout)
            guard let evidence = refusal else {
                session.recordResponse(status: Int(answer.status.code))
                return answer
            }
            guard bodyIsRepeatable || request.body == nil else {
                session.refreshInBackground(replacing: token)
                return answer
            }
            guard let newer = try await session.accessToken(replacing: token) else { return answer }
            // Its connection is free for the replay.
            evidence.cancel()
            // Whatever comes now is the caller's: a second refresh would not help.
            (answer, refusal) = try await send(request, with: newer, of: session, timeout)
            if refusal == nil { session.recordResponse(status: Int(answer.status.code)) }
            return answer
        }

        /// - Returns: The answer, and its body if the answer is a refusal.
        private func send(
            _ request: HTTPClientRequest,
            with token: AccessToken,
            of session: AuthSession,
            _ timeout: TimeAmount
        ) async throws -> (HTTPClientResponse, refusal: ResponseBytes?) {
            var request = request
            for (name, value) in try session.fields(with: token) {
                request.headers.replaceOrAdd(name: name, value: value)
            }
            var answer = try await clients.pooled.execute(request, timeout: timeout)
            let status = Int(answer.status.code)
            guard session.mayBeRefusal(status: status) else { return (answer, nil) }
            let body = bytes(answer.body)
            let isRefusal = try await session.isRefusal(body, status: status, headers: answer.headers.combined)
            answer.body = .stream(body.map { ByteBuffer(bytes: $0) })
            return (answer, isRefusal ? body : nil)
        }
    }
#endif
