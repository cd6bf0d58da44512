// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Hummingbird
    #if FreshetJWT
        public import FreshetJWT
    #else
        public import FreshetVerification
    #endif
    import FreshetContract
    import HTTPTypes
    public import Hummingbird
    import NIOCore

    /// Passes on requests with a valid access token, and refuses all others (RFC 6750 section 3).
    public struct BearerMiddleware<Context: VerifiedRequestContext>: RouterMiddleware {
        private let verifier: TokenVerifier
        /// The realm in the challenge, by which clients choose the token to send.
        private let realm: String

        /// Creates a middleware.
        ///
        /// - Parameters:
        ///   - verifier: The verifier of the tokens.
        ///   - realm: The realm in the challenge of a refusal.
        public init(_ verifier: TokenVerifier, realm: String = "api") {
            self.verifier = verifier
            self.realm = realm.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._ ".contains($0)) }
        }

        /// Verifies the token of a request; calls `next`, or returns the refusal.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let query = request.uri.query.map { Substring($0) } ?? ""
            switch BearerCredentials(authorization: request.headers[values: .authorization], query: query) {
            case .absent: return refusal(.unauthorized, nil, "an access token is needed")
            case .misplaced:
                return refusal(
                    .badRequest,
                    "invalid_request",
                    "send one access token, in the Authorization field"
                )
            case .token(let text):
                var context = context
                do throws(TokenVerificationError) { context.token = try await verifier.verify(text) } catch {
                    return refusal(for: error)
                }
                return try await next(request, context)
            }
        }

        private func refusal(for fault: TokenVerificationError) -> Response {
            guard fault == .keysUnavailable else {
                return refusal(.unauthorized, "invalid_token", "the access token is invalid: \(fault.rawValue)")
            }
            // The token was not verified, so the response must not make a client sign its user out.
            var response = refusal(.serviceUnavailable, "unavailable", "tokens cannot be verified now")
            response.headers[.retryAfter] = "5"
            return response
        }

        private func refusal(_ status: HTTPResponse.Status, _ code: String?, _ sentence: String) -> Response {
            var members: [JSONObject.Member] = []
            if let code { members.append(.init("error", .string(code))) }
            members.append(.init("error_description", .string(sentence)))
            var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
            if status == .unauthorized || status == .badRequest {
                let error = code.map { #", error="\#($0)", error_description="\#(sentence)""# } ?? ""
                headers[.wwwAuthenticate] = #"Bearer realm="\#(realm)"\#(error)"#
            }
            let text = JSONValue.object(JSONObject(members)).jsonText
            return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
