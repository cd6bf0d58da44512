// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

    extension History {
        // MARK: - Versions of the app

        /// The app is updated to a version with the native contract; all its processes start again.
        func updateApp(_ device: Device, _ process: Int, _ size: Int) async {
            guard device.contract != .freshet else { return }
            device.contract = .freshet
            journal.note("the app of \(device.name) is updated to the native contract")
            for index in device.processes.indices { start(index, on: device) }
            await attempt(device, process, "refresh") { try await $0.refresh() }
            guard size.isMultiple(of: 3) else { return }
            // The second refresh with an intent arrives again after the commits of both were lost.
            network.chosenFate = SimulatedNetwork.ChosenFate(
                paths: [NativePath.refresh],
                repeatedAfter: .milliseconds(4000 + size * 20)
            )
            await attempt(device, process, "refresh") { try await $0.refresh() }
            await cutPower(size / 5)
            await pause(.seconds(25))
            await attempt(device, process, "refresh") { try await $0.refresh() }
        }

        /// The app goes back to its own contract, which knows only the sessions that it has opened.
        func rollBackApp(_ device: Device, _ process: Int) async {
            guard let app = plan.app, device.isNative, let session = device.session?.id,
                ledger.exchanges.isServed(session), device.account != nil
            else { return }
            device.contract = app.contract
            device.rolledBackAt = SimulationExecutor.shared.now
            journal.note("the app of \(device.name) goes back to the contract of \(app.rawValue)")
            for index in device.processes.indices { start(index, on: device) }
            await attempt(device, process, "refresh") { try await $0.refresh() }
        }

        // MARK: - Accounts

        /// Whether the app can sign out everywhere.
        func signsOutEverywhere(_ device: Device) -> Bool {
            device.isNative || plan.app?.signsOutEverywhere == true
        }

        /// Creates an account outside the app, whose contract has no sign-up.
        func signUpOnAnotherDevice(_ email: String) async {
            let credentials = PasswordCredentials(email: email, password: Self.password)
            guard let url = URL(string: SimulatedProcess.baseURL + NativePath.signup),
                let body = try? JSONEncoder().encode(credentials)
            else { return }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body
            _ = try? await network.deliver(request, of: "another device", as: .owner, bodyDelay: .zero)
        }

        // MARK: - Invariants

        /// Returns the ends of a session that servers have announced, and the one that is stored.
        func endings(of session: String) -> [ExchangeLog.Ending] {
            if let id = SessionID(session), let reason = backend.storedEnd(of: id) {
                ledger.exchanges.addUnannounced(reason, of: id)
            }
            return ledger.exchanges.endings(of: session)
        }

        /// Whether the end of a device's session has the reason that the servers decided, and a cause that the invariants
        /// expect.
        func isTrue(_ reason: SignOutReason, on device: Device) -> Bool {
            // The served contracts have no place for the reason, and it is still shown after an update of the app.
            let isVague = plan.app != nil && [.unspecified, .revoked, .expired].contains(reason)
            // A session may have ended before it was stored.
            guard let session = device.adopted ?? device.lastReceived else { return false }
            let endings = endings(of: session)
            if isVague || reason == .unspecified, isUnknown(session, endings.first?.at) { return true }
            if isVague || [.idleTimeout, .absoluteTimeout].contains(reason), ledger.expiries.mayHaveExpired(session) {
                return true
            }
            let causes = endings.compactMap { SignOutReason(rawValue: $0.reason.rawValue) }
            guard let cause = causes.last(where: { $0 == reason || isVague }) else { return false }
            if isExpected(cause, of: session, device) {
                if cause.isTheft, expectedEnds.isRestored(session) { report.limits[.restoredRecord, default: 0] += 1 }
                return true
            }
            if thieves.contains(where: { $0.session == session && $0.mayCause(cause) }) { return true }
            // Clients with intents have no limit.
            guard plan.app != nil,
                let limit = ledger.exchanges.limit(
                    session,
                    rolledBackAt: device.rolledBackAt,
                    wasStored: device.hasStored
                )
            else { return false }
            journal.note("\(limit.rawValue)")
            report.limits[limit, default: 0] += 1
            return true
        }

        /// Whether the servers may not know a session: a standby without it was promoted, or it ended long ago.
        private func isUnknown(_ session: String, _ endedAt: Duration?) -> Bool {
            ledger.isLost(session) || ledger.expiries.mayBeRemoved(session, endedAt: endedAt)
        }

        /// Whether a user, an operator or the owner of the address has ended a session of a device for a reason.
        func isExpected(_ reason: SignOutReason, of session: String, _ device: Device) -> Bool {
            let account = device.accounts[session] ?? device.chosenAccount
            let time = ledger.signInTime(of: session)
            return expectedEnds.contains(reason, of: session, account, openedAt: time)
        }

        /// Checks that thefts of the sessions of served contracts are noticed, but for static mode, which cannot notice one.
        func checkServedTheft() async {
            for device in devices where device.account != nil {
                guard let session = device.session?.id, ledger.exchanges.isServed(session) else { continue }
                let thieves = thieves.filter { $0.session == session }
                if plan.app?.isStatic == true {
                    if ledger.exchanges.wasGrantedToThief(session) { report.limits[.staticTheft, default: 0] += 1 }
                    continue
                }
                await checkTheft(of: session, thieves) {
                    defer { self.checkSignedIn() }
                    return await self.attempt(device, 0, "refresh") { try await $0.refresh() }
                }
            }
        }

        /// A thief and the owner who refresh further than W apart do not both go on, with a client without intents.
        ///
        /// - Parameters:
        ///   - session: The session.
        ///   - thieves: Those who have a token of the session.
        ///   - ownerRefreshes: Refreshes the owner's token once, and returns whether a server granted it.
        func checkTheft(
            of session: String,
            _ thieves: [some TokenThief],
            ownerRefreshes: () async -> Bool
        ) async {
            guard !thieves.isEmpty else { return }
            var (isGranted, isSplit) = (false, false)
            let time = ExchangeLog.window + plan.clockDifference + .seconds(1)
            for _ in 0..<3 {
                for thief in thieves {
                    await pause(time)
                    guard await thief.refreshes() else { continue }
                    if isSplit { journal.violation("the theft of session \(session) is not noticed") }
                    isGranted = true
                }
                await pause(time)
                // Both have been served, so that the next refresh of one of them ends the session.
                if await ownerRefreshes(), isGranted { isSplit = true }
            }
        }
    }
#endif
