// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// The ends of sessions that users, operators and the owners of addresses cause.
    ///
    /// A device shows no other reason, unless it is a theft, a timeout, or a limit of PROTOCOL.md.
    struct ExpectedEnds {
        /// An end of all sessions of an account.
        private struct AccountEnd {
            var reason: SignOutReason
            /// The time of the last sign-in whose session it ends; `nil` while it goes on.
            var end: Duration?
        }

        private var ofSessions: [String: Set<SignOutReason>] = [:]
        private var ofAccounts: [String: [AccountEnd]] = [:]
        /// The sessions that a device had before its backup, and has again.
        private var restored: Set<String> = []

        /// Expects that a session ends for one of some reasons.
        mutating func expect(_ reasons: Set<SignOutReason>, of session: String) {
            ofSessions[session, default: []].formUnion(reasons)
        }

        /// Expects the end of a session of which a device has an earlier record again.
        mutating func expectEnd(ofRestored session: String) {
            restored.insert(session)
            expect([.logout, .fork, .reuse, .staleHolder], of: session)
        }

        /// Expects that the sessions of an account end, until ``finish(_:of:at:)``, or to the end of the history.
        ///
        /// - Returns: The number of this end.
        @discardableResult
        mutating func begin(_ reason: SignOutReason, of account: String) -> Int {
            ofAccounts[account, default: []].append(AccountEnd(reason: reason))
            return ofAccounts[account, default: []].count - 1
        }

        /// The end of an account's sessions concerns no session that is opened after a time.
        mutating func finish(_ number: Int, of account: String, at time: Duration) {
            ofAccounts[account]?[number].end = time
        }

        /// Whether a session may end for a reason.
        ///
        /// - Parameters:
        ///   - reason: The reason.
        ///   - session: The session.
        ///   - account: The account of the session.
        ///   - time: The time at which a server received the sign-in that opened the session.
        /// - Returns: Whether a user, an operator or the owner of the address has ended it, or all sessions of the account.
        func contains(_ reason: SignOutReason, of session: String, _ account: String?, openedAt time: Duration) -> Bool
        {
            if ofSessions[session, default: []].contains(reason) { return true }
            return ofAccounts[account ?? "", default: []].contains { end in
                end.reason == reason && end.end.map { time <= $0 } ?? true
            }
        }

        /// Whether a device has an earlier record of a session, from a backup.
        func isRestored(_ session: String) -> Bool { restored.contains(session) }
    }
#endif
