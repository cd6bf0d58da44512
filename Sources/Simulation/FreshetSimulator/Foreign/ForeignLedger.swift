// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// The truth about the tokens of a foreign backend: their sessions and accounts, and what became of each refresh.
    ///
    /// `ForeignLedger+Exchanges` has what the device sends and receives, and the invariants of that.
    final class ForeignLedger: @unchecked Sendable {
        /// The header field with the number of an exchange, by which both sides recognize its messages.
        static let exchangeField = "X-Exchange"

        struct RefreshToken: Hashable {
            var family: Int
            var number: Int
        }

        struct AccessToken {
            var family: Int
            var expiresAt: Duration
            var lifetime: Duration
            /// Whether it had expired when the device woke up and received it: it is used once.
            var hasArrivedLate = false
        }

        /// A refresh of the device.
        struct Exchange {
            enum Result {
                case pending
                /// The process received the response of the backend, while the store could be written or could not.
                case received(at: Duration, isStorable: Bool)
                /// The process received no response, or another one.
                case failed
                /// The response arrived at the end of the process's wait: it was received, or the process gave up.
                case late
                /// The process gave up.
                case cancelled
                /// The process ended.
                case killed
            }

            var process: String
            var token: RefreshToken
            var sentAt: Duration
            /// The time at which the attempt ends, if there is no response.
            var attemptEnd: Duration
            var decisions: [RefreshTokenFamily.Decision] = []
            var result = Result.pending
            /// The arrival whose refusal the process received, although the request had arrived before and was granted.
            var refusedRepetition: Int?
        }

        /// A refresh that the backend refused, because its token had been refreshed before.
        struct Reuse {
            /// The exchange, and the number of its arrival at the backend.
            var exchange: Int
            var arrival: Int
        }

        let preset: ForeignPreset
        let journal: Journal
        private(set) var families: [RefreshTokenFamily] = []
        private var refreshTokens: [String: RefreshToken] = [:]
        private var accessTokens: [String: AccessToken] = [:]
        var exchanges: [Exchange] = []
        /// The refreshes that were refused because of a reuse, by session.
        private(set) var reuses: [Int: [Reuse]] = [:]
        /// The accounts of the app's calls.
        var accountsOfCalls: [String: String] = [:]
        /// The times at which the device stored refresh tokens first.
        var storedAt: [RefreshToken: Duration] = [:]
        /// The times at which the device signed out of sessions.
        var signedOutAt: [Int: Duration] = [:]
        /// The times of the refreshes of the last minute, by process.
        var refreshTimes: [String: [Duration]] = [:]
        /// The refresh token that the device stores at the moment.
        var stored: RefreshToken?

        /// Whether the device's store is available.
        var isStoreAvailable: () -> Bool = { true }
        /// Whether the device's user is signed in with a session.
        var isInUse: (_ family: Int) -> Bool = { _ in false }
        /// The sessions of users of other devices.
        private(set) var strangers: Set<Int> = []

        init(_ preset: ForeignPreset, _ journal: Journal) {
            self.preset = preset
            self.journal = journal
        }

        // MARK: - Tokens

        /// Opens a session with its first refresh token.
        ///
        /// - Returns: The number of its family of tokens.
        func open(_ account: String) -> Int {
            families.append(RefreshTokenFamily(account: account, at: SimulationExecutor.shared.now))
            return families.count - 1
        }

        /// Opens a session of the user of another device.
        func openForStranger() -> Int {
            let family = open("stranger@example.com")
            strangers.insert(family)
            return family
        }

        func account(of family: Int) -> String { families[family].account }

        /// Whether all access tokens of a session have expired.
        func hasOnlyExpiredTokens(_ family: Int) -> Bool {
            let now = SimulationExecutor.shared.now
            return accessTokens.values.allSatisfy { $0.family != family || $0.expiresAt <= now } || isEnded(family)
        }

        func isEnded(_ family: Int) -> Bool { families[family].end != nil }

        func revoke(_ family: Int) { families[family].revoke() }

        func revokeAll(of account: String) {
            for index in families.indices where families[index].account == account { families[index].revoke() }
        }

        /// Whether a refresh of a session was granted.
        func wasRefreshed(_ family: Int) -> Bool { families[family].tokens[0].usedAt != nil }

        /// Returns the text of a refresh token.
        func refreshToken(_ family: Int, _ number: Int) -> String {
            let text = "refresh-\(family)-\(number)"
            refreshTokens[text] = RefreshToken(family: family, number: number)
            return text
        }

        func token(ofText text: String) -> RefreshToken? { refreshTokens[text] }

        func accessToken(_ text: String) -> AccessToken? { accessTokens[text] }

        /// Records the access tokens of a response that a process has received.
        func receiveAccessTokens(_ response: String) {
            let now = SimulationExecutor.shared.now
            for (text, token) in accessTokens where token.expiresAt < now && response.contains(text) {
                accessTokens[text]?.hasArrivedLate = true
            }
        }

        func issueAccessToken(of family: Int, lifetime: Duration, asJWT: Bool) -> String {
            let now = SimulationExecutor.shared.now
            let number = accessTokens.count
            let seconds = 1_800_000_000 + now.components.seconds
            let claims =
                #"{"sub":"id-\#(families[family].account)","iat":\#(seconds),"#
                + #""exp":\#(seconds + lifetime.components.seconds),"jti":"\#(number)"}"#
            let text =
                asJWT
                ? [#"{"alg":"none"}"#, claims, "signature"].map(Self.encoded).joined(separator: ".")
                : "access-\(number)"
            accessTokens[text] = AccessToken(family: family, expiresAt: now + lifetime, lifetime: lifetime)
            return text
        }

        /// Returns text in base64url without padding.
        private static func encoded(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }

        // MARK: - Refreshes

        /// Evaluates a refresh that has arrived at the backend, as a message of an exchange.
        func refresh(_ token: RefreshToken, _ number: Int?, _ rules: RefreshTokenRules) -> RefreshTokenFamily.Decision {
            let decision = families[token.family].refresh(token.number, at: SimulationExecutor.shared.now, rules)
            guard let number else { return decision }
            exchanges[number].decisions.append(decision)
            if decision == .refused(.reused) {
                let reuse = Reuse(exchange: number, arrival: exchanges[number].decisions.count - 1)
                reuses[token.family, default: []].append(reuse)
            }
            return decision
        }
    }
#endif
