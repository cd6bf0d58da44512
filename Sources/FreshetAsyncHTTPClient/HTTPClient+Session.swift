// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import AsyncHTTPClient
    internal import Foundation
    public import FreshetKit
    public import NIOCore
    internal import NIOHTTP1

    extension HTTPClient {
        /// Sends a request with a session's access token, and once more with a new one if the server refuses that.
        ///
        /// It does for `HTTPClientRequest` what ``FreshetKit/Session/data(for:)`` does for `URLRequest`, without the way
        /// through Foundation's types. A host that must not see the token gets the request without it. Redirects are handed to
        /// the caller: the client must not follow them (`redirectConfiguration = .disallow`), because who may see the token is
        /// decided by the session.
        ///
        /// - Parameters:
        ///   - request: What to send.
        ///   - session: Whose token it is.
        ///   - timeout: How long the head of each answer is waited for.
        ///   - bodyIsRepeatable: Whether the body can be sent a second time, as bytes and collections can and most streams
        ///     cannot. If not, a refused request with a body is not sent again, and its answer is the caller's.
        /// - Returns: The answer. The body of a refusal has been read, and is there all the same.
        /// - Throws: ``FreshetKit/SessionError`` if there is no token, or if the client followed a redirect; the client's
        ///   own error, also for a refusal of more than 64 KiB.
        public func execute(
            _ request: HTTPClientRequest,
            for session: Session,
            timeout: TimeAmount = .seconds(60),
            bodyIsRepeatable: Bool = false
        ) async throws -> HTTPClientResponse {
            guard let url = URL(string: request.url), session.mayCarryToken(to: url) else {
                return try await execute(request, timeout: timeout)
            }
            let token = try await session.accessToken()
            var (answer, isRefusal) = try await send(request, with: token, of: session, timeout)
            guard isRefusal else {
                session.noteAnswer(status: Int(answer.status.code))
                return answer
            }
            guard bodyIsRepeatable || request.body == nil else {
                session.refreshInBackground(replacing: token)
                return answer
            }
            guard let newer = try await session.accessToken(replacing: token) else { return answer }
            // Whatever comes now is the caller's: a second refresh would not help.
            (answer, isRefusal) = try await send(request, with: newer, of: session, timeout)
            if !isRefusal { session.noteAnswer(status: Int(answer.status.code)) }
            return answer
        }

        private func send(
            _ request: HTTPClientRequest,
            with token: AccessToken,
            of session: Session,
            _ timeout: TimeAmount
        ) async throws -> (HTTPClientResponse, isRefusal: Bool) {
            var request = request
            for (name, value) in try session.fields(with: token) {
                request.headers.replaceOrAdd(name: name, value: value)
            }
            var answer = try await execute(request, timeout: timeout)
            guard answer.history.count <= 1 else {
                throw SessionError.contractFault("the HTTPClient follows redirects; configure it with .disallow")
            }
            let status = Int(answer.status.code)
            guard session.mayBeRefusal(status: status), status >= 400 || Self.isShortDocument(answer) else {
                return (answer, false)
            }
            let body = try await answer.body.collect(upTo: Self.longestEvidence)
            answer.body = .bytes(body)
            let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
            let isRefusal = session.isRefusal(
                status: status,
                headers: fields,
                body: Data(body.readableBytesView)
            )
            return (answer, isRefusal)
        }

        private static var longestEvidence: Int { 64 * 1024 }

        /// A success may be of any length and trickle for hours; only a JSON document can say that it is none.
        private static func isShortDocument(_ answer: HTTPClientResponse) -> Bool {
            guard let length = answer.headers.first(name: "Content-Length").flatMap({ Int($0) }) else { return false }
            return length <= longestEvidence && answer.headers.first(name: "Content-Type")?.contains("json") == true
        }
    }
#endif
