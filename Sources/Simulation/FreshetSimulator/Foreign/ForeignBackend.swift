// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import SeededRandom

    /// A compact model of a foreign backend: its token endpoint, its sign-out, and one endpoint of the app's API.
    final class ForeignBackend: @unchecked Sendable {
        static let host = "foreign.example.com"
        /// The path of the app's API.
        static let apiPath = "/app/notes"

        /// A fault of the backend itself.
        enum Disturbance: CaseIterable {
            /// Responds with 500 and a JSON body.
            case error
            /// A gateway responds with 502 and a page.
            case page
            /// Responds with 429.
            case throttled
            /// Responds with 500 after it has refreshed the session.
            case errorAfterRefresh
            /// Issues access tokens that have expired.
            case expiredTokens
            /// A proxy answers refreshes with the tokens of another user.
            case otherUser
        }

        let preset: ForeignPreset
        let ledger: ForeignLedger
        /// The current fault; `nil` if the backend works.
        var disturbance: Disturbance?
        /// Whether half of the requests are answered after the timeout of an attempt.
        var isSlow = false
        private let journal: Journal
        private let rules: RefreshTokenRules
        private let accessLifetime: Int
        private var random: SeededRandomStream

        init(_ plan: ForeignPlan, seed: UInt64, _ journal: Journal) {
            preset = plan.preset
            self.journal = journal
            rules = plan.preset.rules(idleLifetime: plan.idleLifetime.map { .seconds($0) })
            accessLifetime = plan.accessLifetime
            random = SeededRandomStream(seed: seed, device: 1, matter: 60)
            ledger = ForeignLedger(plan.preset, journal)
        }

        /// Opens a session outside the simulated network, as an app does in a browser.
        func openSession(of account: String) -> (access: String, refresh: String?, lifetime: Duration) {
            let family = ledger.open(account)
            let access = accessToken(of: family)
            let refresh = preset.hasRefreshTokens ? ledger.refreshToken(family, 0) : nil
            return (access, refresh, .seconds(lifetime))
        }

        /// Answers a request that has arrived.
        ///
        /// - Returns: `nil` if the request is for another host.
        func respond(
            to request: URLRequest,
            of sender: String,
            bodyDelay: Duration
        ) async -> (Data, HTTPURLResponse)? {
            guard request.url?.host == Self.host else { return nil }
            await wait(bodyDelay + .milliseconds(random.number(in: 0...10)))
            let isLate = isSlow && random.number(in: 0...1) == 0
            let response = decide(request)
            journal.note("\(preset.rawValue) answers \(request.url?.path ?? "") of \(sender): \(response.text)")
            await wait(.milliseconds(isLate ? random.number(in: 20_000...90_000) : random.number(in: 0...10)))
            return response.reply(to: request)
        }

        private func wait(_ time: Duration) async {
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: time) { continuation.resume() }
            }
        }

        // MARK: - Requests

        private func decide(_ request: URLRequest) -> ForeignResponse {
            switch disturbance {
            case .error: return .failure(500)
            case .page: return .page(502)
            case .throttled: return .throttled(preset)
            case .otherUser where preset.usesJWTs && ForeignRequest(request).grantType == "refresh_token":
                return grant(ledger.openForStranger(), 0)
            case .errorAfterRefresh, .expiredTokens, .otherUser, nil: break
            }
            let response = answer(request)
            return disturbance == .errorAfterRefresh ? .failure(500) : response
        }

        private func answer(_ request: URLRequest) -> ForeignResponse {
            let fields = ForeignRequest(request)
            switch request.url?.path {
            case Self.apiPath: return call(request)
            case preset.tokenPath where fields.grantType == "password": return signIn(fields)
            case preset.tokenPath: return refresh(request, fields)
            case preset.logoutPath: return logOut(request, fields)
            default: return .failure(404)
            }
        }

        private func signIn(_ fields: ForeignRequest) -> ForeignResponse {
            guard let account = fields["email"] ?? fields["username"] else { return .failure(400) }
            let family = ledger.open(account)
            return grant(family, 0)
        }

        private func refresh(_ request: URLRequest, _ fields: ForeignRequest) -> ForeignResponse {
            let exchange = request.exchangeNumber
            guard let token = fields["refresh_token"].flatMap(ledger.token(ofText:)) else {
                journal.violation("a refresh presents a token that \(preset.rawValue) has not issued")
                return .refusal(.revoked, preset)
            }
            let decision = ledger.refresh(token, exchange, rules)
            switch decision {
            case .granted(let number): return grant(token.family, number)
            case .refused(let refusal): return .refusal(refusal, preset)
            }
        }

        private func grant(_ family: Int, _ number: Int) -> ForeignResponse {
            // A response without a refresh token leaves the previous one valid.
            let isRepeated = number == 0 && !rules.rotates && ledger.wasRefreshed(family)
            return .grant(
                preset,
                access: accessToken(of: family),
                refresh: isRepeated ? nil : ledger.refreshToken(family, number),
                lifetime: lifetime,
                account: ledger.account(of: family)
            )
        }

        private var lifetime: Int { disturbance == .expiredTokens ? 0 : accessLifetime }

        private func accessToken(of family: Int) -> String {
            ledger.issueAccessToken(of: family, lifetime: .seconds(lifetime), asJWT: preset.usesJWTs)
        }

        private func call(_ request: URLRequest) -> ForeignResponse {
            guard let token = request.bearerToken.flatMap(ledger.accessToken),
                token.expiresAt > SimulationExecutor.shared.now,
                preset.usesJWTs || !ledger.isEnded(token.family)
            else { return .unauthorized(preset) }
            return .json(200, preset == .slack ? #"{"ok":true,"notes":[]}"# : #"{"notes":[]}"#)
        }

        private func logOut(_ request: URLRequest, _ fields: ForeignRequest) -> ForeignResponse {
            guard preset == .supabase else {
                // RFC 7009, section 2.2: also for a token that is not valid.
                guard let token = fields["token"].flatMap(ledger.token(ofText:)) else { return .json(200, "") }
                if ledger.isInUse(token.family) {
                    journal.violation("session \(token.family) is signed out while it is in use")
                }
                if rules.ignoresUsedTokensAtLogout, ledger.families[token.family].isUsed(token.number) {
                    return .json(200, "")
                }
                ledger.revoke(token.family)
                return .json(200, "")
            }
            guard let token = request.bearerToken.flatMap(ledger.accessToken),
                token.expiresAt > SimulationExecutor.shared.now
            else { return .json(403, #"{"code":403,"error_code":"bad_jwt","msg":"token is expired"}"#) }
            if ledger.isEnded(token.family) {
                return .json(403, #"{"code":403,"error_code":"session_not_found","msg":"Session not found"}"#)
            }
            if fields["scope"] == "global" {
                ledger.revokeAll(of: ledger.account(of: token.family))
            } else {
                ledger.revoke(token.family)
            }
            return .json(204, "")
        }
    }

    /// The fields of a request, in its query and in its body as JSON or as a form.
    struct ForeignRequest {
        private var fields: [String: String] = [:]

        init(_ request: URLRequest) {
            let query = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false)?.queryItems }
            for item in query ?? [] { fields[item.name] = item.value }
            guard let body = request.httpBody else { return }
            if let json = try? JSONDecoder().decode([String: String].self, from: body) {
                fields.merge(json) { $1 }
            } else if let text = String(bytes: body, encoding: .utf8) {
                var form = URLComponents()
                form.percentEncodedQuery = text
                for item in form.queryItems ?? [] { fields[item.name] = item.value }
            }
        }

        subscript(name: String) -> String? { fields[name] }

        var grantType: String? { fields["grant_type"] }
    }

    extension URLRequest {
        /// The number of the exchange of which this request is a message.
        var exchangeNumber: Int? { value(forHTTPHeaderField: ForeignLedger.exchangeField).flatMap(Int.init) }
    }
#endif
