// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetIdentity
    import FreshetKit
    import FreshetWire

    /// The commands of an operator, each in a process of its own on the servers' database.
    extension History {
        /// Ends the session of a device.
        func endByOperator(_ device: Device) async {
            guard let account = device.chosenAccount, let id = device.session.flatMap({ SessionID($0.id) }) else {
                return
            }
            if plan.servers > 1, device.signInsDone % 2 == 1 { return await endByNewerServer(id) }
            expectedEnds.expect([.revokedByOperator], of: id.description)
            await end(id, of: account)
        }

        /// A server of a newer version ends the session of a device, for a reason that only it knows.
        private func endByNewerServer(_ id: SessionID) async {
            let reason = EndReason(stored: "quarantined")
            expectedEnds.expect([.other(reason.rawValue)], of: id.description)
            // A command that fails may have been executed.
            ledger.exchanges.addUnannounced(reason, of: id, isStored: false)
            do {
                try await backend.endByNewerServer(id, reason)
                journal.note("a newer server ends session \(id)")
                ledger.end(id.description, "its end by a newer server")
            } catch {
                journal.note("a newer server cannot end session \(id): \(error)")
            }
        }

        func end(_ id: SessionID, of account: String) async {
            await administer(account, .revokedByOperator) { service, user in
                // The session may be one of the account before.
                guard try await service.end(of: user, only: id) > 0 else { return }
                ledger.end(id.description, "an operator's command")
            }
        }

        /// Disables an account, which cannot sign in until it is enabled again.
        func disableAccount(_ device: Device, _ size: Int) async {
            guard let account = device.chosenAccount else { return }
            let end = expectedEnds.begin(.userDisabled, of: account)
            await disable(account, size)
            expectedEnds.finish(end, of: account, at: SimulationExecutor.shared.now)
        }

        func disable(_ account: String, _ size: Int) async {
            disabledAccounts.insert(account)
            await administer(account, .userDisabled) { service, user in
                let before = enablings
                _ = try await service.disable(user)
                // Of two commands at the same time, either may be committed first.
                if before.running == 0, enablings.started == before.started { ledger.disable(user) }
            }
            await pause(.milliseconds(size * 60))
            // The database may not run, and a standby that is promoted may not have the commit.
            var losses: Int
            repeat {
                losses = ledger.powerCuts
                while await !enable(account) { await pause(.seconds(10)) }
                await pause(.seconds(20))
            } while losses != ledger.powerCuts
        }

        /// A backup that is restored may have accounts that were enabled since.
        func enableAccounts() async {
            for account in disabledAccounts.sorted() {
                while await !enable(account) { await pause(.seconds(10)) }
            }
        }

        private func enable(_ account: String) async -> Bool {
            await administer(account, nil) { service, user in
                ledger.enable(user)
                enablings.started += 1
                enablings.running += 1
                defer { enablings.running -= 1 }
                try await service.enable(user)
            }
        }

        /// Deletes an account; its address can sign up again.
        func deleteAccount(_ device: Device) async {
            guard let account = device.chosenAccount else { return }
            let end = expectedEnds.begin(.userDisabled, of: account)
            await delete(account)
            expectedEnds.finish(end, of: account, at: SimulationExecutor.shared.now)
        }

        func delete(_ account: String) async {
            await administer(account, .userDisabled) { service, user in
                _ = try await service.delete(user)
                ledger.endSessions(of: user.uuidString, "the deletion of its account")
            }
        }

        /// Runs a command on an account, and adds the sessions that it ended to the trace.
        ///
        /// - Returns: Whether the command succeeded, or there is no such account; one that failed may have been executed.
        @discardableResult
        private func administer(
            _ account: String,
            _ reason: EndReason?,
            _ command: (AdminService, UUID) async throws -> Void
        ) async -> Bool {
            guard let email = EmailAddress(account) else { return false }
            // By the clock of PostgreSQL.
            let start = backend.commandTime + (.zero - plan.clockDifference)
            do {
                try await backend.administer { service in
                    guard let user = try service.user(email)?.id else { return }
                    try await command(service, user)
                    journal.note("an operator's command on \(account): \(reason?.rawValue ?? "enabled")")
                    for row in try service.sessions(of: user) {
                        guard let reason, let ending = row.ending, ending.reason == reason, ending.at >= start else {
                            continue
                        }
                        backend.record(.ended([row.id], reason, at: ending.at))
                    }
                }
                return true
            } catch {
                journal.note("an operator's command on \(account) fails: \(error)")
                return false
            }
        }
    }
#endif
