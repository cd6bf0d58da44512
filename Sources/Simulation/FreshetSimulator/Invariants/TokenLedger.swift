// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire

    /// The truth about all tokens: their sessions and users, from the responses of the servers before the network loses them.
    ///
    /// It checks each response against what the servers have answered before.
    final class TokenLedger: @unchecked Sendable {
        /// The header field by which a call's requests, including repetitions, are recognized.
        static let callField = "X-Call"

        /// A session that a server has opened.
        private struct Session {
            var user: String
            var openedAt: Duration
            /// The time at which the server had received the sign-in.
            var requestedAt: Duration
            /// Whether a promoted standby does not have it: its access tokens are accepted until they expire.
            var isLost = false
            /// The time at which a server answered that the session had ended.
            var endedAt: Duration?
            var end = ""
        }

        /// A refresh that a server has granted.
        private struct Refresh {
            var intent: String?
            var holder: Holder
            var answeredAt: Duration
            /// The number of power failures before it.
            var powerCuts: Int
        }

        private struct Generation: Hashable {
            var session: String
            var number: UInt64
        }

        private let journal: Journal
        private var sessions: [String: Session] = [:]
        private var sessionOfToken: [String: String] = [:]
        private var refreshes: [Generation: [Refresh]] = [:]
        /// The intents of the owners' refreshes that a server may have granted without an answer.
        private var unanswered: [Generation: Set<String>] = [:]
        /// The access token of each session that was issued last.
        private(set) var newestAccessToken: [String: String] = [:]
        /// The sessions whose ends a promoted standby has lost.
        private(set) var lostEnds: Set<String> = []
        /// The attempts to sign in by which owners prove that the addresses are theirs.
        var claims: Set<String> = []
        /// Called with each access token and its session.
        var didIssue: ((_ token: String, _ session: String) -> Void)?
        /// Called with each session that has ended before its expiry.
        var didEnd: ((_ session: String) -> Void)?
        private var newest: [String: (number: UInt64, at: Duration, powerCuts: Int)] = [:]
        private var accounts: [String: String] = [:]
        /// The number of power failures of the servers.
        var powerCuts = 0
        /// The time at which a standby was promoted last; `nil` if none was.
        private var lastLoss: Duration?
        /// The refreshes and ends of sessions of clients without intents.
        let exchanges: ExchangeLog
        /// The expiries of the sessions.
        let expiries: SessionExpiries
        /// The sessions that processes of the owners have received.
        let receivedSessions = ReceivedSessions()

        /// The IDs of the disabled accounts, with the times at which an operator was told so.
        private var disabled: [String: Duration] = [:]

        /// Returns the time at which every server knows that a session ended at a time; `nil` if that is to come.
        var everyServerKnows: (Duration) -> Duration? = { $0 }

        init(_ plan: HistoryPlan, _ journal: Journal) {
            self.journal = journal
            exchanges = ExchangeLog(journal)
            expiries = SessionExpiries(plan, journal)
        }

        /// Returns the session of a token; `nil` if the token is unknown.
        func session(ofToken token: String) -> String? { sessionOfToken[token] }

        /// Returns the time at which a server answered that a session had ended, and the cause.
        func end(of session: String) -> (at: Duration, cause: String)? {
            sessions[session].flatMap { session in session.endedAt.map { ($0, session.end) } }
        }

        /// Returns the time at which a server had received the sign-in that opened a session; zero if it is unknown.
        func signInTime(of session: String) -> Duration { sessions[session]?.requestedAt ?? .zero }

        /// Whether the database has lost the commit that opened a session.
        func isLost(_ session: String) -> Bool { sessions[session]?.isLost ?? false }

        /// Returns the session of the refresh token that a request presents.
        func session(ofRefresh request: URLRequest) -> String? {
            TokenBody(request).flatMap { sessionOfToken[$0.refreshToken] }
        }

        /// Returns the user of a token; `nil` if it is unknown.
        func user(ofToken token: String) -> String? { sessionOfToken[token].flatMap { sessions[$0]?.user } }

        /// Returns the user of the access token that a request presents; `nil` if the token is unknown.
        func user(of request: URLRequest) -> String? {
            request.bearerToken.flatMap(user(ofToken:))
        }

        /// Records the account of a request; no call may be sent with the tokens of two accounts.
        func record(_ request: URLRequest, of process: String) {
            guard let call = request.value(forHTTPHeaderField: Self.callField), let owner = user(of: request)
            else { return }
            if let first = accounts[call], first != owner {
                journal.violation("call \(call) of \(process) began as \(first) and was sent as \(owner)")
            }
            accounts[call] = accounts[call] ?? owner
        }

        // MARK: - Responses

        /// A request that a server receives.
        struct Exchange {
            var request: URLRequest
            var holder: Holder
            /// The time at which the server had received all of it.
            var receivedAt = Duration.zero
            /// The time at which it was sent.
            var sentAt = Duration.zero
        }

        /// Records the response to an exchange, and checks it.
        func record(_ exchange: Exchange, status: Int, _ data: Data) {
            guard (200...299).contains(status) else {
                // A commit whose flush failed is visible.
                if status >= 500, let session = session(ofRefresh: exchange.request) { expiries.unanswered(session) }
                return recordRefusal(exchange, status, data)
            }
            let request = exchange.request
            let path = request.nativePath
            switch path {
            case NativePath.refresh: recordRefresh(exchange, data)
            case NativePath.confirm, NativePath.report: break
            case NativePath.logout:
                guard let session = TokenBody(request).flatMap({ sessionOfToken[$0.refreshToken] }) else { return }
                end(session, "a sign-out")
            case NativePath.logoutAll:
                checkAct(exchange)
                guard let own = request.bearerToken.flatMap({ sessionOfToken[$0] }), let user = sessions[own]?.user
                else { return }
                endSessions(of: user, "a sign-out everywhere")
            default:
                if path.hasPrefix(NativePath.sessions + "/"), request.httpMethod == "DELETE" {
                    checkAct(exchange)
                    end(String(path.dropFirst(NativePath.sessions.count + 1)), "a revocation")
                } else if let grant = Grant(data) {
                    open(grant, receivedAt: exchange.receivedAt)
                    if isClaim(request) { endSessions(of: grant.user.id, "a proof", before: exchange.receivedAt) }
                } else {
                    checkAct(exchange)
                }
            }
        }

        /// Records that a server has refused a session for good.
        private func recordRefusal(_ exchange: Exchange, _ status: Int, _ data: Data) {
            // Without a reason, the token is another client's, or its session is lost.
            guard status == 400, let session = session(ofRefresh: exchange.request),
                let refusal = try? JSONDecoder().decode(FinalRefusal.self, from: data), refusal.error == "invalid_grant"
            else { return }
            let isExpiry = ["idle_timeout", "absolute_timeout"].contains(refusal.reason)
            if isExpiry { expiries.refused(session) }
            guard exchange.request.url?.path == NativePath.oauthToken, exchange.request.nativePath == NativePath.refresh
            else { return }
            // By the clock of another server it has not expired yet.
            if isExpiry, exchanges.clockDifference > .zero { return }
            end(session, "a refusal of a refresh: \(refusal.reason)", isExpiry: isExpiry)
        }

        /// Records an exchange whose connection ended before the response: it may have succeeded.
        func recordUnanswered(_ exchange: Exchange) {
            guard exchange.receivedAt > .zero, let body = TokenBody(exchange.request),
                let session = sessionOfToken[body.refreshToken]
            else { return }
            expiries.unanswered(session)
            guard exchange.holder == .owner, let token = try? RefreshToken(body.refreshToken), let intent = body.intent
            else { return }
            unanswered[Generation(session: session, number: token.body.generation), default: []].insert(intent)
        }

        /// The sessions and the ends since a time were lost with their commits.
        ///
        /// - Returns: The sessions that had ended.
        func forgetEnds(since time: Duration) -> Set<String> {
            let lost = Set(sessions.filter { $0.value.endedAt.map { $0 >= time } ?? false }.keys)
            for id in lost { sessions[id]?.endedAt = nil }
            lostEnds.formUnion(lost)
            disabled = disabled.filter { $0.value < time }
            lastLoss = SimulationExecutor.shared.now
            expiries.promoted(since: time)
            for (id, session) in sessions where session.openedAt >= time { sessions[id]?.isLost = true }
            return lost
        }

        private func open(_ grant: Grant, receivedAt time: Duration) {
            if let start = disabled[grant.user.id.lowercased()], start < time {
                journal.violation("session \(grant.sessionID) was opened for a disabled account")
            }
            sessions[grant.sessionID] =
                sessions[grant.sessionID]
                ?? Session(
                    user: grant.user.id,
                    openedAt: SimulationExecutor.shared.now,
                    requestedAt: time,
                    isLost: lastLoss.map { time <= $0 } ?? false
                )
            expiries.opened(grant.sessionID, receivedAt: time, grant.refreshExpiresIn)
            add(grant)
        }

        private func add(_ grant: Grant) {
            sessionOfToken[grant.accessToken] = grant.sessionID
            newestAccessToken[grant.sessionID] = grant.accessToken
            didIssue?(grant.accessToken, grant.sessionID)
            if !grant.refreshToken.isEmpty { sessionOfToken[grant.refreshToken] = grant.sessionID }
        }

        /// Records that a session has ended.
        ///
        /// - Parameters:
        ///   - id: The session.
        ///   - end: The cause.
        ///   - isExpiry: Whether it has expired. Its access tokens have, too, which resource servers are not told: they
        ///     tolerate a difference of clocks.
        func end(_ id: String, _ end: String, isExpiry: Bool = false) {
            guard sessions[id]?.endedAt == nil else { return }
            sessions[id]?.endedAt = SimulationExecutor.shared.now
            sessions[id]?.end = end
            if !isExpiry { didEnd?(id) }
        }

        /// Records that all sessions of an account have ended, or those that were opened before a time.
        func endSessions(of user: String, _ end: String, before time: Duration? = nil) {
            let user = user.lowercased()
            for (id, session) in sessions where session.user.lowercased() == user {
                if time.map({ session.openedAt < $0 }) ?? true { self.end(id, end) }
            }
        }

        /// Whether an owner proves by a request that an address is his.
        private func isClaim(_ request: URLRequest) -> Bool {
            guard !claims.isEmpty, request.nativePath == NativePath.loginCodeVerify, let body = request.httpBody,
                let proof = try? JSONDecoder().decode(CodeVerification.self, from: body)
            else { return false }
            return claims.contains(proof.attempt)
        }

        /// Records that an operator was told that an account is disabled.
        func disable(_ user: UUID) {
            endSessions(of: user.uuidString, "its account was disabled")
            disabled[user.uuidString.lowercased()] = SimulationExecutor.shared.now
        }

        /// Records that an operator is about to enable an account.
        func enable(_ user: UUID) { disabled[user.uuidString.lowercased()] = nil }

        private func recordRefresh(_ exchange: Exchange, _ data: Data) {
            guard let grant = Grant(data), let body = TokenBody(exchange.request),
                let token = try? RefreshToken(body.refreshToken)
            else { return }
            add(grant)
            let id = grant.sessionID
            expiries.refreshed(id, receivedAt: exchange.receivedAt, grant.refreshExpiresIn)
            if body.intent == nil, exchanges.isRecording, !exchanges.isServed(id) {
                journal.violation("native session \(id) was refreshed without an intent")
            }
            if let session = sessions[id], let end = session.endedAt, end < exchange.receivedAt {
                journal.violation("tokens of session \(id) were issued after \(session.end)")
            }
            let number = token.body.generation
            let refresh = Refresh(
                intent: body.intent,
                holder: exchange.holder,
                answeredAt: SimulationExecutor.shared.now,
                powerCuts: powerCuts
            )
            let key = Generation(session: id, number: number)
            for other in refreshes[key] ?? [] where other.powerCuts == powerCuts && other.intent != body.intent {
                // A plain session is bound to the first intent.
                if exchanges.isServed(id), other.intent == nil || body.intent == nil { continue }
                journal.violation("generation \(number) of session \(id) was granted for two intents")
            }
            if let newest = newest[id], newest.number > number, newest.powerCuts == powerCuts,
                newest.at < exchange.receivedAt
            {
                journal.violation("generation \(number) of session \(id) was granted after \(newest.number)")
            }
            refreshes[key, default: []].append(refresh)
            if newest[id].map({ $0.number <= number }) ?? true {
                newest[id] = (number, refresh.answeredAt, powerCuts)
            }
        }

        /// Checks that the session of a successful call had not ended when the call was received.
        private func checkAct(_ exchange: Exchange) {
            guard let id = exchange.request.bearerToken.flatMap({ sessionOfToken[$0] }), let session = sessions[id],
                !session.isLost,
                let end = session.endedAt.flatMap(everyServerKnows), end < exchange.receivedAt
            else { return }
            let path = exchange.request.url?.path ?? ""
            journal.violation("\(path) of session \(id) was answered after \(session.end)")
        }

        // MARK: - Theft

        /// Whether a thief was granted a refresh of a session with an intent that the owner never presented.
        ///
        /// A grant does not count if a power failure may have lost it, or if one lost the owner's refresh of that generation
        /// before, so that an old token was served once more (PROTOCOL.md, limits).
        ///
        /// - Parameters:
        ///   - session: The session.
        ///   - countsLosses: Whether grants that a power failure may have lost count, too.
        /// - Returns: Whether there were two holders.
        func wasSplit(_ session: String, countingLosses countsLosses: Bool = false) -> Bool {
            let all = refreshes.filter { $0.key.session == session }
            return all.contains { key, granted in
                let owned = Set(granted.filter { $0.holder == .owner }.map(\.intent) + (unanswered[key] ?? []))
                return granted.contains { refresh in
                    guard refresh.holder == .thief, countsLosses || refresh.powerCuts == powerCuts,
                        !owned.contains(refresh.intent)
                    else { return false }
                    return !all.contains { other, granted in
                        other.number >= key.number
                            && granted.contains { $0.holder == .owner && $0.answeredAt < refresh.answeredAt }
                    }
                }
            }
        }
    }

    /// The error of a refresh whose session has ended.
    private struct FinalRefusal: Decodable {
        var error: String
        var reason: String
    }

    /// The members of a grant that the ledger records.
    private struct Grant: Decodable {
        struct User: Decodable { var id: String }
        var accessToken: String
        var refreshToken: String
        var sessionID: String
        var user: User
        /// The seconds until the session expires; `nil` if the contract does not tell.
        var refreshExpiresIn: Int?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case sessionID = "session_id"
            case user
            case refreshExpiresIn = "refresh_expires_in"
        }

        init?(_ data: Data) {
            if let grant = try? JSONDecoder().decode(Self.self, from: data) {
                self = grant
            } else if let tokens = ServedTokens(data) {
                accessToken = tokens.accessToken
                refreshToken = tokens.refreshToken ?? ""
                sessionID = tokens.claims.sid
                user = User(id: tokens.claims.sub)
            } else {
                return nil
            }
        }
    }
#endif
