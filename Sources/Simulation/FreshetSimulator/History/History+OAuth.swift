// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetIdentity
    import FreshetKit
    import FreshetWire

    extension History {
        /// Creates the device with an OAuth library, if the plan has one, and signs its user in.
        func startOAuth() async {
            guard plan.oauth != nil else { return }
            let device = OAuthDevice(network)
            oauth = device
            report.oauth = OAuthReport()
            await signInOAuth(device, as: "oauth0@example.com")
        }

        /// Ends the process of the device, and the other holders of its tokens.
        func endOAuth() {
            oauth?.end()
            for thief in oauthThieves { thief.end() }
            oauth = nil
            oauthThieves = []
        }

        // MARK: - Actions

        /// Performs an action of the device with an OAuth library.
        func perform(_ action: OAuthPlan.TimedAction) async {
            guard let device = oauth else { return }
            let size = action.size
            if let account = device.endedAccount.take() { await signInOAuth(device, as: account) }
            switch action.kind {
            case .read: await readOAuth(device)
            case .refresh: await refreshOAuth(device)
            case .refreshOften:
                for _ in 0...size % 4 {
                    await refreshOAuth(device)
                    await pause(.milliseconds(size * (size.isMultiple(of: 2) ? 20 : 150)))
                }
            case .killProcess: restartOAuth(device)
            case .killDuringRefresh:
                async let refresh = refreshOAuth(device)
                // Most messages take some milliseconds.
                await pause(.milliseconds(size.isMultiple(of: 2) ? size / 10 : size * 10))
                restartOAuth(device)
                _ = await refresh
            case .loseResponses:
                // The first response comes after the window of plain mode, or not at all.
                for _ in 0...size % 3 {
                    async let refresh = refreshOAuth(device)
                    await pause(.milliseconds(20 + size / 5))
                    restartOAuth(device)
                    _ = await refresh
                    await pause(.milliseconds(size * 130))
                }
                await refreshOAuth(device)
            case .revokeRefreshToken, .revokeAccessToken:
                async let refresh = size.isMultiple(of: 2) ? refreshOAuth(device) : false
                await pause(.milliseconds(size / 10))
                await revokeOAuth(device, byAccessToken: action.kind == .revokeAccessToken)
                _ = await refresh
            case .signInAgain:
                guard let account = device.account else { return }
                await signInOAuth(device, as: size.isMultiple(of: 2) ? account : nextOAuthAccount(device))
            case .endFromAnotherDevice, .signOutEverywhere:
                async let refresh = size.isMultiple(of: 2) ? refreshOAuth(device) : false
                await endOAuth(device, everywhere: action.kind == .signOutEverywhere)
                _ = await refresh
            case .steal, .replay, .presentElsewhere: await abuse(device, action)
            case .endByOperator:
                guard let account = device.account, let session = device.session else { return }
                device.excuses[session, default: []].insert(.revokedByOperator)
                if let id = SessionID(session) { await end(id, of: account) }
            case .disableAccount, .deleteAccount:
                guard let account = device.account else { return }
                device.accountExcuses[account, default: []].insert(.userDisabled)
                if action.kind == .disableAccount { await disable(account, size) } else { await delete(account) }
            }
        }

        private func nextOAuthAccount(_ device: OAuthDevice) -> String {
            device.accounts += 1
            return "oauth\(device.accounts)@example.com"
        }

        private func restartOAuth(_ device: OAuthDevice) {
            journal.note("the process of \(device.name) is killed, and starts again")
            device.restart()
        }

        /// Other holders of tokens act.
        private func abuse(_ device: OAuthDevice, _ action: OAuthPlan.TimedAction) async {
            guard let session = device.session, let token = device.refreshToken else { return }
            let size = action.size
            switch action.kind {
            case .presentElsewhere: await presentElsewhere(token, of: device, size)
            case .replay:
                let tokens = device.refreshTokens
                guard tokens.count > 2 else { return }
                let old = tokens[tokens.count - 3 - size % min(tokens.count - 2, 3)]
                let name = "holder \(oauthThieves.count) of an old token"
                journal.note("\(name) presents one of \(device.name)")
                let thief = OAuthThief(name, network, copies: old, of: session)
                oauthThieves.append(thief)
                await thief.refreshes()
            default:
                let name = "OAuth thief \(oauthThieves.count)"
                journal.note("\(name) copies the refresh token of \(device.name)")
                let thief = OAuthThief(name, network, copies: token, of: session)
                oauthThieves.append(thief)
                for _ in 0...size % 3 {
                    await pause(.milliseconds(size * (size.isMultiple(of: 2) ? 10 : 300)))
                    await thief.refreshes()
                }
            }
        }

        /// Presents a token where the session's client does not refresh it: no tokens are issued, and nothing changes.
        private func presentElsewhere(_ token: String, of device: OAuthDevice, _ size: Int) async {
            let intent = size.isMultiple(of: 3) ? nil : Intent.random().text
            let request =
                size.isMultiple(of: 2)
                ? OAuthRequests.refresh(token, as: OAuthForm.otherClientID)
                : OAuthRequests.json(NativePath.refresh, TokenBody(refreshToken: token, intent: intent))
            guard let request, let response = await device.send(request), response.tokens != nil else { return }
            journal.violation("tokens of \(device.name) were issued at another path, or to another client")
        }

        // MARK: - Calls

        /// Refreshes until a response decides; a library repeats the same token after a lost response.
        ///
        /// - Returns: Whether new tokens were stored.
        @discardableResult
        func refreshOAuth(_ device: OAuthDevice) async -> Bool {
            guard let session = device.session, device.beginRefresh() else { return false }
            let start = device.starts
            report.calls += 1
            report.oauth?.refreshes += 1
            defer {
                report.answers += 1
                device.endRefresh(of: start)
            }
            for attempt in 0..<5 {
                guard device.starts == start, device.session == session, let token = device.refreshToken,
                    let request = OAuthRequests.refresh(token)
                else { return false }
                let response = await device.send(request)
                guard device.starts == start, device.session == session else { return false }
                if let tokens = response?.tokens {
                    device.receive(tokens)
                    report.successes += 1
                    return true
                }
                if response?.isFinal == true {
                    checkEnd(of: session, device)
                    return false
                }
                await pause(max(response?.retryAfter ?? .zero, .seconds(2 << attempt)))
            }
            return false
        }

        /// Calls the API, with new tokens if the access token is refused.
        @discardableResult
        func readOAuth(_ device: OAuthDevice) async -> Bool {
            for _ in 0...1 {
                guard let token = device.accessToken,
                    let request = OAuthRequests.bearer("GET", NativePath.me, token)
                else { return false }
                let response = await device.send(request)
                if response?.status == 200 { return true }
                guard response?.status == 401, await refreshOAuth(device) else { return false }
            }
            return false
        }

        // MARK: - Sessions

        /// Signs in until it succeeds.
        private func signInOAuth(_ device: OAuthDevice, as email: String) async {
            // The session before is not revoked.
            device.account = nil
            device.signIns += 1
            let number = device.signIns
            for attempt in 0...200 {
                guard device.signIns == number else { return }
                if attempt % 2 == 1 { await signUpOnAnotherDevice(email) }
                let before = lostTimes.count
                var response: OAuthResponse?
                if let request = OAuthRequests.signIn(email, Self.password) { response = await device.send(request) }
                guard device.signIns == number else { return }
                if let tokens = response?.tokens {
                    device.receive(tokens, of: email)
                    device.isLost = lostTimes.count != before
                    journal.note("\(device.name) has session \(tokens.claims.sid) of \(email)")
                    return
                }
                await pause(max(.seconds(20), response?.retryAfter ?? .zero))
            }
            journal.violation("\(device.name) cannot sign in as \(email)")
        }

        /// The user signs out, and in again at the device's next action.
        private func revokeOAuth(_ device: OAuthDevice, byAccessToken: Bool) async {
            guard let account = device.account, let session = device.session, let refreshToken = device.refreshToken,
                let accessToken = device.accessToken
            else { return }
            device.excuses[session, default: []].insert(.logout)
            device.account = nil
            let (number, losses) = (device.signIns, lostTimes.count)
            // An expired access token counts as revoked (RFC 7009, section 2.2), and ends nothing.
            let age = SimulationExecutor.shared.now - device.accessTokenAt
            for attempt in 0..<6 {
                guard let request = OAuthRequests.revocation(byAccessToken ? accessToken : refreshToken) else { return }
                let response = await device.send(request)
                if response?.status == 200, response?.isEmpty == true {
                    let isFresh = age + .seconds(40) + plan.clockDifference < plan.accessLifetime && !plan.hasClockJump
                    if byAccessToken, attempt == 0, isFresh, lostTimes.count == losses {
                        ledger.end(session, "a revocation of its access token")
                    }
                    break
                }
                await pause(max(response?.retryAfter ?? .zero, .seconds(2 << attempt)))
            }
            if device.session == session { device.forget() }
            if device.signIns == number { device.endedAccount = account }
        }

        /// The user ends the session, or all, from another device, whose messages the network does not disturb.
        private func endOAuth(_ device: OAuthDevice, everywhere: Bool) async {
            guard let account = device.account, let session = device.session else { return }
            let credentials = PasswordCredentials(email: account, password: Self.password)
            guard let signIn = OAuthRequests.json(NativePath.loginPassword, credentials),
                let (data, _) = try? await network.deliver(signIn, of: "a browser", as: .owner, bodyDelay: .zero),
                let token = ServedTokens(data)?.accessToken
            else { return }
            if everywhere {
                device.accountExcuses[account, default: []].insert(.logoutAll)
            } else {
                device.excuses[session, default: []].insert(.revokedByUser)
            }
            let path = everywhere ? NativePath.logoutAll : NativePath.sessions + "/" + session
            guard let request = OAuthRequests.bearer(everywhere ? "POST" : "DELETE", path, token) else { return }
            _ = try? await network.deliver(request, of: "a browser", as: .owner, bodyDelay: .zero)
        }
    }
#endif
