// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// A response of a foreign backend, as its preset expects it.
    struct ForeignResponse {
        private var status: Int
        private var headers: [String: String]
        private var body: String
        /// The response for the story of the history, without tokens.
        private(set) var text: String

        private init(_ status: Int, _ headers: [String: String], _ body: String, _ text: String) {
            self.status = status
            self.headers = headers
            self.body = body
            self.text = "\(status)\(text.isEmpty ? "" : ", \(text)")"
        }

        static func json(_ status: Int, _ body: String, _ text: String? = nil) -> Self {
            Self(status, body.isEmpty ? [:] : ["Content-Type": "application/json"], body, text ?? body)
        }

        /// A failure of the backend, whose body has the code of a refused refresh: the status counts.
        static func failure(_ status: Int) -> Self { json(status, #"{"error":"invalid_grant"}"#) }

        static func page(_ status: Int) -> Self {
            Self(status, ["Content-Type": "text/html"], "<html>Bad gateway</html>", "a page")
        }

        static func throttled(_ preset: ForeignPreset) -> Self {
            if preset == .slack { return json(200, #"{"ok":false,"error":"ratelimited"}"#) }
            var response = json(429, #"{"error":"too_many_requests"}"#)
            response.headers["Retry-After"] = "5"
            return response
        }

        /// The response to a sign-in or a refresh; its refresh token may be absent.
        static func grant(
            _ preset: ForeignPreset,
            access: String,
            refresh: String?,
            lifetime: Int,
            account: String
        ) -> Self {
            var members = [
                #""access_token":"\#(access)""#, #""token_type":"bearer""#, #""expires_in":\#(lifetime)"#,
            ]
            if let refresh { members.append(#""refresh_token":"\#(refresh)""#) }
            switch preset {
            case .supabase: members.append(#""user":{"id":"id-\#(account)","email":"\#(account)"}"#)
            case .slack: members.insert(#""ok":true"#, at: 0)
            case .auth0, .okta, .spotify, .oauth2: break
            }
            return json(200, "{\(members.joined(separator: ","))}", "tokens of \(account)")
        }

        /// The response to a refresh that is refused.
        static func refusal(_ refusal: RefreshTokenFamily.Refusal, _ preset: ForeignPreset) -> Self {
            switch preset {
            case .supabase:
                let code =
                    switch refusal {
                    case .reused: "refresh_token_already_used"
                    case .expired: "session_expired"
                    case .revoked: "session_not_found"
                    }
                return json(400, #"{"code":400,"error_code":"\#(code)","msg":"Invalid Refresh Token"}"#)
            case .auth0:
                return json(
                    403,
                    #"{"error":"invalid_grant","error_description":"Unknown or invalid refresh token."}"#
                )
            case .slack: return json(200, #"{"ok":false,"error":"invalid_refresh_token"}"#)
            case .spotify:
                let description = refusal == .revoked ? "Refresh token revoked" : "Invalid refresh token"
                return json(400, #"{"error":"invalid_grant","error_description":"\#(description)"}"#)
            case .okta, .oauth2:
                return json(400, #"{"error":"invalid_grant","error_description":"The token is invalid."}"#)
            }
        }

        /// The response of the app's API to an access token that it refuses.
        static func unauthorized(_ preset: ForeignPreset) -> Self {
            switch preset {
            case .supabase: return json(401, #"{"code":"PGRST303","message":"JWT expired"}"#)
            case .slack: return json(200, #"{"ok":false,"error":"token_expired"}"#)
            case .auth0, .okta, .spotify, .oauth2:
                var response = json(401, #"{"message":"Unauthorized"}"#)
                response.headers["WWW-Authenticate"] = #"Bearer error="invalid_token""#
                return response
            }
        }

        func reply(to request: URLRequest) -> (Data, HTTPURLResponse) {
            let url = request.url ?? URL(filePath: "/")
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            guard let head else { fatalError("no response has the status \(status)") }
            return (Data(body.utf8), head)
        }
    }
#endif
