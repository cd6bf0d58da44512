// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire

    extension OlderClient {
        /// Returns what this version sends in place of a request of the present one; `nil` if it sends nothing.
        func request(_ request: URLRequest) -> URLRequest? {
            guard !isEmpty, let path = request.url?.path else { return request }
            switch path {
            case NativePath.confirm: return contains(.noConfirmations) ? nil : request
            case NativePath.report: return contains(.noReports) ? nil : request
            case NativePath.refresh: return contains(.noIntents) ? request.without(["intent"]) : request
            case NativePath.logout: return contains(.revocations) ? Self.revocation(request) : request
            case NativePath.signup, NativePath.loginPassword, NativePath.loginCode, NativePath.loginCodeVerify:
                return contains(.bareSignIns) ? request.without(["device", "intent", "known_device"]) : request
            default: return request
            }
        }

        /// Returns the outcome of a request that this version does not send.
        ///
        /// - Throws: An error of the connection, unless the request is a confirmation, on which nothing depends.
        func unsent(_ request: URLRequest) throws -> (Data, HTTPURLResponse) {
            guard request.url?.path == NativePath.confirm, let url = request.url,
                let head = HTTPURLResponse(url: url, statusCode: 204, httpVersion: nil, headerFields: nil)
            else { throw URLError(.cannotConnectToHost) }
            return (Data(), head)
        }

        /// Returns what the present version receives in place of a response, so that it knows no more than this one.
        func response(_ response: (Data, HTTPURLResponse), to request: URLRequest) -> (Data, HTTPURLResponse) {
            let (data, head) = response
            // RFC 7009 has a 200 without content for the native contract's 204.
            if contains(.revocations), request.url?.path == NativePath.logout, head.statusCode == 200, data.isEmpty {
                guard let url = head.url,
                    let head = HTTPURLResponse(url: url, statusCode: 204, httpVersion: nil, headerFields: nil)
                else { return response }
                return (data, head)
            }
            guard contains(.fewerMembers) else { return response }
            return (data.withoutMembers(Self.optionalMembers) ?? data, head)
        }

        /// The members of responses that older servers do not send, and older clients do not read.
        static let optionalMembers = [
            "refresh_expires_in", "server_time", "refresh_after", "is_new_user", "has_profile",
        ]

        private static func revocation(_ request: URLRequest) -> URLRequest? {
            guard let token = TokenBody(request)?.refreshToken,
                let url = URL(string: NativePath.oauthRevoke, relativeTo: request.url)?.absoluteURL
            else { return request }
            var request = request
            request.url = url
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data("token=\(token)&client_id=\(OAuthForm.clientID)".utf8)
            return request
        }
    }

    extension URLRequest {
        /// Returns the request without some members of its JSON body.
        fileprivate func without(_ names: [String]) -> URLRequest {
            guard let body = httpBody?.withoutMembers(names) else { return self }
            var request = self
            request.httpBody = body
            return request
        }
    }

    extension Data {
        /// Returns a JSON object without some members; `nil` if it is not an object, or has none of these members.
        func withoutMembers(_ names: [String]) -> Data? {
            guard var object = (try? JSONSerialization.jsonObject(with: self)) as? [String: Any] else { return nil }
            let count = object.count
            for name in names { object[name] = nil }
            guard object.count < count else { return nil }
            return try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        }
    }
#endif
