// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

package typealias AuthorizedSession = AccountAuthority.Session

/// The right to change one account, established in the transaction that changes it.
///
/// Every table function that changes an account takes an authority as a parameter. Only the initialisers below create
/// one, and each checks its evidence in the given transaction. It can be neither copied nor returned, so it never
/// outlives that transaction, and no handler can change an account on the basis of an earlier check.
package struct AccountAuthority: ~Copyable {
    package let user: UUID

    private init(_ user: UUID) { self.user = user }

    /// The authority of a user who proved the account's address with a code in this transaction.
    ///
    /// It is `nil` if no account has the code's address.
    ///
    /// - Throws: `invalidGrant` if an operator disabled the account.
    package init?(_ code: borrowing VerifiedCode, in database: any SQLConnection) throws {
        guard let user = try UserTable.find(code.row.email, in: database) else { return nil }
        try UserTable.requireEnabled(user.id, in: database)
        self.init(user.id)
    }

    /// The authority of a client that presented the account's password.
    ///
    /// It is `nil` if the stored hash has changed since then, or the account was deleted.
    ///
    /// - Parameters:
    ///   - user: The account.
    ///   - hash: The stored hash that the password was verified against.
    ///   - database: The transaction that changes the account.
    /// - Throws: The database's error.
    package init?(_ user: UUID, withPassword hash: String, in database: any SQLConnection) throws {
        guard try UserTable.find(user, in: database)?.password == hash else { return nil }
        self.init(user)
    }

    /// The authority over an account that this transaction creates.
    ///
    /// It is `nil` if an account with the address already exists.
    package init?(opening user: User, at now: Timestamp, in database: any SQLConnection) throws {
        guard try UserTable.insert(user, at: now, in: database) else { return nil }
        self.init(user.id)
    }

    /// Apple's authority over a user's account, based on a notification with a verified signature.
    ///
    /// It is `nil` if no account is linked to the notification's subject.
    package init?(_ event: AppleAccountEvent, in database: any SQLConnection) throws {
        guard let user = try AppleAccountTable.user(of: event.subject, in: database) else { return nil }
        self.init(user.id)
    }

    /// An operator's authority.
    ///
    /// - Throws: ``OperatorAuthority/SignedOut`` if the operator's browser was signed out in the meantime.
    package init(_ user: UUID, by authority: OperatorAuthority) throws {
        try authority.require()
        self.init(user)
    }

    // MARK: - Sessions

    /// A session that this transaction found active, with an enabled account and a recent enough sign-in.
    ///
    /// A request's body can arrive long after its head, so the session may have ended between the check of the access
    /// token and the execution of the request.
    package struct Session: ~Copyable {
        package let row: SessionRow
        /// The account of the session.
        package let account: User
        /// The right to change the account.
        package let authority: AccountAuthority

        package var id: SessionID { row.id }

        /// Reads the session and its account.
        ///
        /// - Parameters:
        ///   - credential: The credential of the request.
        ///   - requirement: The operation's requirement.
        ///   - clock: The server's time.
        ///   - database: The transaction that performs the operation.
        /// - Throws: `invalidToken` if the session has ended or the account was deleted or disabled, `stepUpRequired`
        ///   if the sign-in is too old, `conflict` if the password was changed since it was verified, `unavailable` if
        ///   only a clock that is not trusted shows that the session has expired.
        package init(
            _ credential: SessionCredential,
            _ requirement: SessionRequirement,
            at clock: ClockReading,
            in database: any SQLConnection
        ) throws {
            guard let row = try credential.session(in: database) else { throw APIError.sessionOver }
            guard let account = try UserTable.find(row.user, in: database) else {
                throw APIError(.invalidToken, "the account was deleted")
            }
            let facts = SessionRequirement.Account(
                isDisabled: try UserTable.isDisabled(account.id, in: database),
                passwordHash: account.password
            )
            if let refusal = requirement.refusal(of: row, facts, at: clock) { throw APIError(refusal) }
            self.row = row
            self.account = account
            authority = AccountAuthority(account.id)
        }
    }
}

extension APIError {
    fileprivate static let sessionOver = APIError(.invalidToken, "the session is over")

    /// The error for a session that does not meet an operation's requirement.
    fileprivate init(_ refusal: SessionRequirement.Refusal) {
        switch refusal {
        case .sessionOver, .accountDisabled: self = .sessionOver
        case .clockNotTrusted: self = .clockNotTrusted
        case .staleSignIn: self = .stepUpRequired
        case .passwordChanged: self = APIError(.conflict, "the password was changed meanwhile")
        }
    }
}
