// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import FreshetWire

    extension History {
        /// Checks that a session that a server has refused for good has ended for a true reason.
        func checkEnd(of session: String, _ device: OAuthDevice) {
            let account = device.accountOfSession[session]
            let causes = endings(of: session).compactMap(\.reason.known)
            let expected = device.excuses[session, default: []].union(
                account.map { device.accountExcuses[$0, default: []] } ?? []
            )
            device.forget()
            device.account = nil
            device.endedAccount = account
            guard let cause = causes.last else {
                if ledger.expiries.mayHaveExpired(session) { return }
                // A standby without the session was promoted.
                if !device.isLost {
                    journal.violation("session \(session) of \(device.name) was refused, and is alive")
                }
                return
            }
            report.oauth?.ended[cause, default: 0] += 1
            journal.note("session \(session) of \(device.name) has ended: \(cause.rawValue)")
            if causes.contains(where: expected.contains) { return }
            let isTheft = [.fork, .reuse].contains(cause)
            if isTheft, oauthThieves.contains(where: { $0.session == session }) { return }
            if let limit = ledger.exchanges.limit(session, rolledBackAt: nil, wasStored: { _ in true }) {
                report.limits[limit, default: 0] += 1
                return
            }
            journal.violation("session \(session) of \(device.name) has ended: \(cause.rawValue)")
        }

        /// With everything working, the device refreshes and calls, and a theft is noticed.
        func recoverOAuth() async {
            guard let device = oauth, device.account != nil else { return }
            var isRecovered = await refreshOAuth(device)
            if isRecovered { isRecovered = await readOAuth(device) }
            guard let session = device.session, device.account != nil else { return }
            guard isRecovered else {
                // The access tokens of a session that is about to expire are short-lived.
                if ledger.expiries.mayHaveExpired(session) { return }
                if plan.servers > 1, lostEnds.contains(session) {
                    report.limits[.lostEnd, default: 0] += 1
                } else {
                    journal.violation("\(device.name) does not recover")
                }
                return
            }
            await checkTheft(of: session, oauthThieves.filter { $0.session == session }) {
                await self.refreshOAuth(device)
            }
        }

        /// The sessions of the device that have ended are not alive.
        func checkEndedOAuthSessions(_ live: Set<String>) {
            for session in oauth.map({ Array($0.accountOfSession.keys) }) ?? [] where live.contains(session) {
                guard let end = ledger.end(of: session) else { continue }
                journal.violation("session \(session) is alive after \(end.cause)")
            }
        }
    }
#endif
