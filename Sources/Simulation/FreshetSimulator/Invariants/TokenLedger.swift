// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// The owners of all tokens that the server has granted, and the accounts under which each call was sent.
    final class TokenLedger: @unchecked Sendable {
        /// The header field by which a call's requests, including repetitions, are recognized.
        static let callField = "X-Call"

        private struct Grant: Decodable {
            struct User: Decodable { var id: String }
            var accessToken: String
            var refreshToken: String
            var user: User

            enum CodingKeys: String, CodingKey {
                case accessToken = "access_token"
                case refreshToken = "refresh_token"
                case user
            }
        }

        private let journal: Journal
        private var owners: [String: String] = [:]
        private var accounts: [String: String] = [:]

        init(_ journal: Journal) { self.journal = journal }

        private struct Refresh: Decodable {
            var refreshToken: String

            enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
        }

        /// Records the owner of the tokens in a response, if it contains some.
        func record(response data: Data) {
            guard let grant = try? JSONDecoder().decode(Grant.self, from: data) else { return }
            owners[grant.accessToken] = grant.user.id
            owners[grant.refreshToken] = grant.user.id
        }

        /// Returns the owner of the refresh token that a refresh presents.
        func owner(ofRefresh request: URLRequest) -> String? {
            request.httpBody.flatMap { try? JSONDecoder().decode(Refresh.self, from: $0) }
                .flatMap { owners[$0.refreshToken] }
        }

        /// Records the account of a request; no call may be sent with the tokens of two accounts.
        func record(_ request: URLRequest, of process: String) {
            guard let call = request.value(forHTTPHeaderField: Self.callField),
                let authorization = request.value(forHTTPHeaderField: "Authorization"),
                let owner = owners[String(authorization.dropFirst("Bearer ".count))]
            else { return }
            if let first = accounts[call], first != owner {
                journal.violation("call \(call) of \(process) began as \(first) and was sent as \(owner)")
            }
            accounts[call] = accounts[call] ?? owner
        }
    }
#endif
