// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    extension History {
        // MARK: - Sign-in and sign-out

        /// Signs in until it succeeds, and tells the other processes.
        func signInForeign(_ device: ForeignDevice, _ process: Int, as account: String) async {
            device.account = nil
            device.signIns += 1
            let number = device.signIns
            var attempts = 0
            while device.signIns == number {
                await device.clock.awake()
                guard device.signIns == number else { break }
                var adopted: TokenGrant?
                var isDone = await attempt(device, process, "sign-in as \(account)") { session in
                    if device.backend.preset.usesPasswords {
                        try await session.signIn(.password(email: account, password: Self.password))
                    } else {
                        let tokens = device.backend.openSession(of: account)
                        let grant = TokenGrant(
                            accessToken: tokens.access,
                            refreshToken: tokens.refresh,
                            expiresIn: tokens.lifetime,
                            userID: "id-\(account)"
                        )
                        adopted = grant
                        try await session.signIn(.tokens(grant))
                    }
                }
                if isDone, let adopted, device.signIns == number, device.processes.count > 1 {
                    isDone = await adoptAgain(adopted, device, (process + 1) % device.processes.count)
                }
                attempts += 1
                if isDone { break }
                if attempts > 200 { return journal.violation("the foreign device cannot sign in as \(account)") }
                await pause(.seconds(20))
            }
            await reloadProcesses(of: device)
            // Another sign-in of the device began in the meantime.
            guard device.signIns == number else { return }
            device.account = account
            guard let family = device.storedFamily else { return }
            journal.note("the foreign device has session \(family)")
            device.family = family
            device.families.insert(family)
        }

        /// Another process, such as an extension of the app, adopts the same tokens.
        ///
        /// - Returns: Whether the tokens are stored, and no process has refreshed them meanwhile.
        private func adoptAgain(_ grant: TokenGrant, _ device: ForeignDevice, _ process: Int) async -> Bool {
            guard device.session?.refreshToken == grant.refreshToken else { return false }
            let isDone = await attempt(device, process, "sign-in with the same tokens") { session in
                try await session.signIn(.tokens(grant))
            }
            return isDone && device.session?.refreshToken == grant.refreshToken
        }

        func signOutForeign(_ device: ForeignDevice, _ process: Int) async {
            guard let account = device.account else { return }
            let number = device.signIns
            await signOutForeignSession(device, process)
            if device.signIns == number { device.endedAccount = account }
        }

        private func signOutForeignSession(_ device: ForeignDevice, _ process: Int) async {
            device.account = nil
            let (family, signIns) = (device.storedFamily, device.signIns)
            let isSignedIn = device.processes[process].session.state.isSignedIn
            let isStored = await attempt(device, process, "sign-out") { try await $0.signOut() }
            guard isStored, let family else { return }
            guard device.storedFamily != family else {
                if isSignedIn, device.signIns == signIns {
                    journal.violation("the foreign device has session \(family) after its sign-out")
                }
                return
            }
            device.ledger.signedOutAt[family] = SimulationExecutor.shared.now
        }

        func switchForeignAccount(_ device: ForeignDevice, _ process: Int, _ size: Int) async {
            guard let account = device.account else { return }
            let number = device.signIns
            device.account = nil
            if size.isMultiple(of: 2) { await signOutForeignSession(device, process) }
            await pause(.milliseconds(size / 5))
            // Another sign-in of the device began in the meantime.
            guard device.signIns == number else { return }
            device.accounts += 1
            let next = size.isMultiple(of: 3) ? account : "user\(device.accounts)@example.com"
            await signInForeign(device, process, as: next)
        }

        func signOutForeignEverywhere(_ device: ForeignDevice, _ process: Int) async {
            guard let account = device.account, device.backend.preset.signsOutEverywhere else { return }
            let number = device.signIns
            device.account = nil
            let isDone = await attempt(device, process, "sign-out everywhere") { try await $0.signOutEverywhere() }
            guard device.signIns == number else { return }
            if isDone || device.processes[process].session.state == .signedOut(.requested) {
                device.endedAccount = account
            } else {
                device.account = account
            }
        }

        // MARK: - Invariants

        /// Unless the user changes the account, a process shows a login screen only if the session's refresh token is dead.
        func checkForeign() {
            guard let device = foreign, let account = device.account else { return }
            for process in device.processes {
                if let user = process.session.status.userID, user != "id-\(account)" {
                    journal.violation("\(process.name) is signed in as \(user), and not as \(account)")
                }
                switch process.session.state {
                case .signedOut(let reason):
                    if let reason, let family = device.family, isTrue(reason, family, device) {
                        journal.note("\(process.name) is signed out by \(reason), as expected")
                        device.account = nil
                        device.endedAccount = account
                        return
                    }
                    journal.violation("\(process.name) is signed out: \(reason.map { "\($0)" } ?? "no reason")")
                case .recordUnusable(let error) where error.kind == .locked || error.kind == .failed: break
                case .recordUnusable(let error):
                    journal.violation("\(process.name) has an unusable record: \(error)")
                case .unknown, .active, .refreshing, .offline, .ending: break
                }
            }
        }

        /// Whether the end of a session is the truth, or a limit of the backend.
        private func isTrue(_ reason: SignOutReason, _ family: Int, _ device: ForeignDevice) -> Bool {
            let (ledger, preset) = (device.ledger, device.backend.preset)
            guard preset.hasRefreshTokens else {
                guard reason == .unrenewable, ledger.hasOnlyExpiredTokens(family) else { return false }
                report.foreign?.ended += 1
                return true
            }
            if let end = ledger.families[family].end, end != .reused {
                guard reason == preset.reason(of: end) else { return false }
                report.foreign?.ended += 1
                return true
            }
            guard reason == preset.reason(of: .reused), let limit = ledger.limit(of: family) else { return false }
            journal.note("session \(family) ended \(limit.rawValue)")
            report.foreign?.limits[limit, default: 0] += 1
            return true
        }

        /// With everything working, every process of the device recovers.
        func recoverForeign() async {
            guard let device = foreign else { return }
            device.backend.disturbance = nil
            device.backend.isSlow = false
            checkSaved(device.processes)
            for process in device.processes { await process.session.reload() }
            await pause(.seconds(120))
            if device.hasPendingLogout { journal.violation("the foreign device has not delivered a sign-out") }
            for index in device.processes.indices {
                checkForeign()
                guard device.account != nil else { break }
                let isDone = await attempt(device, index, "refresh") { session in
                    if device.backend.preset.hasRefreshTokens { try await session.refresh() }
                    _ = try await session.accessToken()
                }
                checkForeign()
                if !isDone, device.account != nil {
                    journal.violation("\(device.processes[index].name) does not recover")
                }
            }
            checkForeignLogouts(device)
        }

        /// A sign-out that was delivered has ended its session at the backend.
        private func checkForeignLogouts(_ device: ForeignDevice) {
            let preset = device.backend.preset
            guard preset.logoutPath != nil else { return }
            let current = device.storedFamily
            for family in device.families.sorted() where family != current && !device.ledger.isEnded(family) {
                if preset.logsOutByRefreshToken, device.ledger.hadNewestToken(family) {
                    journal.violation("session \(family) is alive after its sign-out")
                } else {
                    let limit: ForeignLimit = preset.logsOutByRefreshToken ? .outdatedLogout : .expiredLogout
                    report.foreign?.limits[limit, default: 0] += 1
                }
            }
        }
    }
#endif
