// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import AsyncHTTPClient
    internal import Foundation
    public import FreshetKit
    public import NIOCore
    internal import NIOHTTP1

    extension AsyncHTTPClientTransport {
        /// Sends a request with a session's access token, and replays it once if the server refuses the token.
        ///
        /// The counterpart for `HTTPClientRequest` of ``FreshetKit/AuthSession/bytes(for:)``, without a conversion to
        /// Foundation's types: it treats the same responses as refusals, and inspects the same part of their bodies. A
        /// request to a host that must not see the token is sent without it. Redirects are not followed.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - session: The session whose token is sent.
        ///   - timeout: The timeout of the head of each response.
        ///   - bodyIsRepeatable: Whether the body can be sent a second time, as bytes and collections can and most
        ///     streams cannot. If not, a refused request with a body is not replayed, and the refusal is returned.
        /// - Returns: The response. The whole body of a refusal can still be read.
        /// - Throws: ``FreshetKit/SessionError`` if no token is available, or another session has replaced the one in
        ///   which the request began; AsyncHTTPClient's own error.
        public func execute(
            _ request: HTTPClientRequest,
            for session: AuthSession,
            timeout: TimeAmount = .seconds(60),
            bodyIsRepeatable: Bool = false
        ) async throws -> HTTPClientResponse {
            guard let url = URL(string: request.url), session.mayCarryToken(to: url) else {
                // NIO's resolver traps on a port outside TCP's range.
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
            // Releases the refused request's connection before the replay.
            evidence.cancel()
            // The second response is returned: a further refresh would not help.
            (answer, refusal) = try await send(request, with: newer, of: session, timeout)
            if refusal == nil { session.recordResponse(status: Int(answer.status.code)) }
            return answer
        }

        /// Sends a request with a token, and classifies the response.
        ///
        /// - Returns: The response, and its body if the response is a refusal.
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
