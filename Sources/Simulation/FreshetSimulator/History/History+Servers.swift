// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// Ends and starts of servers and their database.
    extension History {
        /// Loses the commits of up to ten seconds; each session that was opened before goes on.
        func promoteStandby(_ size: Int) async {
            let (standby, start) = (backend.standby(), SimulationExecutor.shared.now)
            let losses = ledger.powerCuts
            // The end of a session, with a server that knows of it.
            if size.isMultiple(of: 2) { await endByOperator(devices[size / 2 % devices.count]) }
            await pause(.milliseconds(size * 10))
            // A standby of a primary that was replaced in the meantime, or that has started again after a power failure, has
            // followed it since: PostgreSQL sends only what is flushed.
            guard ledger.powerCuts == losses else { return }
            backend.promote(standby)
            loseCommits(since: start)
            journal.note("the database's standby is promoted, without the last \(size * 10) ms")
            await restartServer(after: .milliseconds(size * 5))
        }

        /// An operator restores a backup that is up to ten minutes old.
        func restoreDatabase(_ size: Int) async {
            let (backup, start) = (backend.standby(), SimulationExecutor.shared.now)
            let (hasUnflushedCommits, losses) = (backend.hasUnflushedCommits, ledger.powerCuts)
            await pause(.milliseconds(size * 600))
            // A backup with commits that were lost since is thrown away.
            guard !lostTimes.contains(where: { $0.contains(start) }),
                !hasUnflushedCommits || ledger.powerCuts == losses
            else { return }
            backend.restore(backup)
            loseCommits(since: start)
            journal.note("a backup of the database is restored, which is \(size * 600 / 1000) s old")
            await restartServer(after: .milliseconds(size * 5))
            await enableAccounts()
        }

        private func loseCommits(since start: Duration) {
            lostTimes.append(start..<SimulationExecutor.shared.now)
            ledger.powerCuts += 1
            // A device may not have received the response to a sign-out that is lost.
            let lost = ledger.forgetEnds(since: start).union(ledger.exchanges.endedSessions(since: start))
            adopted.subtract(lost)
            ledger.exchanges.promoted()
            // An owner may prove his address once more.
            for email in claims { expectedEnds.begin(.revokedByUser, of: email) }
            if let oauth, oauth.account == nil || oauth.signedInAt >= start { oauth.isLost = true }
            // Ends that were answered are lost, also those that a device has not stored.
            let kept = Set(devices.filter { $0.account != nil }.compactMap { $0.session?.id })
            adopted.formIntersection(kept)
            ledger.receivedSessions.forget(except: kept, lost: lost)
        }

        /// Loses the commits that were not flushed.
        func cutPower(_ size: Int) async {
            backend.cutPower()
            ledger.powerCuts += 1
            ledger.expiries.powerFailed()
            ledger.exchanges.powerFailed()
            journal.note("the database's machine loses power")
            await restartServer(after: .milliseconds(size * 10))
        }

        /// A server runs for a while with an older copy of its keys, or refuses to start with it.
        func startWithOlderKeys(_ size: Int) async {
            backend.kill(size)
            backend.startWithOlderKeys(size)
            await pause(.milliseconds(size * 60))
            backend.kill(size)
            await restartServer(after: .milliseconds(size))
        }

        func restartServer(after delay: Duration) async {
            await pause(delay)
            backend.start()
            // A full disk prevents the start.
            while !backend.isRunning {
                await pause(.seconds(10))
                backend.start()
            }
        }
    }
#endif
