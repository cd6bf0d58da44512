// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire

    /// A device whose app refreshes with an OAuth library: a model of a public client that retries with the same token until
    /// a response arrives, and stores the new one then.
    final class OAuthDevice: @unchecked Sendable {
        let name = "OAuth device"
        private let network: SimulatedNetwork
        private var transport: SimulatedTransport
        /// The number of processes that were started.
        private(set) var starts = 1
        private(set) var accessToken: String?
        /// The time at which the access token arrived.
        private(set) var accessTokenAt = Duration.zero
        /// The refresh tokens of the current session, the newest last; empty if the user is signed out.
        private(set) var refreshTokens: [String] = []
        /// The session of these tokens.
        private(set) var session: String?
        /// The accounts of all sessions that it had.
        private(set) var accountOfSession: [String: String] = [:]
        /// The time of the last sign-in that succeeded.
        private(set) var signedInAt = Duration.zero
        private(set) var isRefreshing = false
        /// The account that is signed in; `nil` while the user changes it.
        var account: String?
        /// The account whose session has ended for a reason that the invariants expect.
        var endedAccount: String?
        /// The number of sign-ins.
        var signIns = 0
        /// The number of accounts that were used.
        var accounts = 0
        /// Whether a promoted standby may not have the session.
        var isLost = false
        /// The reasons for which each session may end.
        var excuses: [String: Set<KnownEndReason>] = [:]
        /// The reasons for which the sessions of each account may end.
        var accountExcuses: [String: Set<KnownEndReason>] = [:]

        init(_ network: SimulatedNetwork) {
            self.network = network
            transport = Self.transport(network, "OAuth device")
        }

        private static func transport(_ network: SimulatedNetwork, _ name: String) -> SimulatedTransport {
            let didReceive = { [ledger = network.ledger] data in
                ledger.exchanges.received(data, by: name, isStorable: true)
            }
            return SimulatedTransport(network, of: name, didReceive: didReceive)
        }

        var refreshToken: String? { refreshTokens.last }

        /// Ends the process, and starts another one: the responses under way are lost.
        func restart() {
            network.ledger.exchanges.ended(name, wasStored: refreshTokens.contains)
            transport.close()
            starts += 1
            isRefreshing = false
            transport = Self.transport(network, name)
        }

        func end() { transport.close() }

        /// Begins a refresh of the process, unless one is under way.
        func beginRefresh() -> Bool {
            guard !isRefreshing else { return false }
            isRefreshing = true
            return true
        }

        func endRefresh(of start: Int) { if starts == start { isRefreshing = false } }

        /// Stores the tokens of a sign-in.
        func receive(_ tokens: ServedTokens, of email: String) {
            accountOfSession[tokens.claims.sid] = email
            account = email
            receive(tokens)
        }

        /// Stores the tokens of a response.
        func receive(_ tokens: ServedTokens) {
            accessToken = tokens.accessToken
            accessTokenAt = SimulationExecutor.shared.now
            if session != tokens.claims.sid {
                session = tokens.claims.sid
                refreshTokens = []
                signedInAt = accessTokenAt
                isLost = false
            }
            if let token = tokens.refreshToken, token != refreshToken { refreshTokens.append(token) }
        }

        /// Removes the tokens.
        func forget() {
            accessToken = nil
            refreshTokens = []
            session = nil
        }

        /// Sends a request.
        ///
        /// - Returns: The response; `nil` if none arrives.
        func send(_ request: URLRequest) async -> OAuthResponse? {
            guard let (data, head) = try? await transport.data(for: request) else { return nil }
            return OAuthResponse(data, head)
        }
    }

    /// A holder of a copied refresh token.
    final class OAuthThief: TokenThief, @unchecked Sendable {
        let session: String
        private let transport: SimulatedTransport
        private var token: String

        init(_ name: String, _ network: SimulatedNetwork, copies token: String, of session: String) {
            self.session = session
            self.token = token
            transport = SimulatedTransport(network, of: name, as: .thief)
        }

        func end() { transport.close() }

        @discardableResult
        func refreshes() async -> Bool {
            let request = OAuthRequests.refresh(token)
            guard let request, let (data, head) = try? await transport.data(for: request),
                let next = OAuthResponse(data, head).tokens?.refreshToken
            else { return false }
            token = next
            return true
        }
    }

    /// A response of an OAuth endpoint, as a client reads it.
    struct OAuthResponse {
        let status: Int
        let tokens: ServedTokens?
        /// The error code of RFC 6749, section 5.2.
        let error: String?
        let retryAfter: Duration?
        let isEmpty: Bool

        init(_ data: Data, _ head: HTTPURLResponse) {
            status = head.statusCode
            isEmpty = data.isEmpty
            // A response that was cut is no JSON.
            let isGrant = head.statusCode < 300 && (try? JSONDecoder().decode(TokenBody.self, from: data)) != nil
            tokens = isGrant ? ServedTokens(data) : nil
            error = try? JSONDecoder().decode(ErrorBody.self, from: data).error
            retryAfter = head.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init).map { .seconds($0) }
        }

        /// Whether the grant has ended: the client asks its user to sign in.
        var isFinal: Bool { status == 400 && error == "invalid_grant" }

        private struct ErrorBody: Decodable { var error: String }
    }

    /// The requests of an OAuth library, and the sign-in of its app.
    enum OAuthRequests {
        /// The grant of RFC 6749, section 6.
        static func refresh(_ token: String, as client: String = OAuthForm.clientID) -> URLRequest? {
            let fields = "grant_type=refresh_token&refresh_token=\(token)&client_id=\(client)"
            return post(NativePath.oauthToken, "application/x-www-form-urlencoded", Data(fields.utf8))
        }

        /// The revocation of RFC 7009.
        static func revocation(_ token: String) -> URLRequest? {
            let fields = "token=\(token)&client_id=\(OAuthForm.clientID)"
            return post(NativePath.oauthRevoke, "application/x-www-form-urlencoded", Data(fields.utf8))
        }

        /// A sign-in that names the client, so that the session is the client's.
        static func signIn(_ email: String, _ password: String) -> URLRequest? {
            var request = json(NativePath.loginPassword, PasswordCredentials(email: email, password: password))
            let client = Data("\(OAuthForm.clientID):".utf8).base64EncodedString()
            request?.setValue("Basic \(client)", forHTTPHeaderField: "Authorization")
            return request
        }

        static func json(_ path: String, _ body: some Encodable) -> URLRequest? {
            (try? JSONEncoder().encode(body)).flatMap { post(path, "application/json", $0) }
        }

        /// A request without a body that presents an access token.
        static func bearer(_ method: String, _ path: String, _ token: String) -> URLRequest? {
            guard let url = URL(string: SimulatedProcess.baseURL + path) else { return nil }
            var request = URLRequest(url: url)
            request.httpMethod = method
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return request
        }

        private static func post(_ path: String, _ type: String, _ body: Data) -> URLRequest? {
            guard let url = URL(string: SimulatedProcess.baseURL + path) else { return nil }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            request.httpBody = body
            return request
        }
    }
#endif
