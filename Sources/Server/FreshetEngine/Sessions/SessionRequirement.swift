// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A requirement of an operation on the session that requests it.
package enum SessionRequirement: Equatable, Sendable {
    /// The session is active and its account is enabled.
    case alive
    /// In addition, the user signed in no longer than this ago (RFC 9470).
    case freshSignIn(within: Duration)
    /// In addition, the user presented the account's password, and the hash that it was verified against is still the
    /// stored one.
    case verifiedPassword(hash: String)

    /// The reason that a session does not meet a requirement.
    package enum Refusal: Error, Equatable, Sendable {
        case sessionOver(EndReason)
        /// The session would be refused only because of a time, and the clock is not trusted.
        case clockNotTrusted
        case accountDisabled
        case staleSignIn
        case passwordChanged
    }

    /// The data of an account that a requirement depends on.
    package struct Account: Equatable, Sendable {
        package var isDisabled: Bool
        /// The stored hash; `nil` for an account without a password.
        package var passwordHash: String?

        package init(isDisabled: Bool, passwordHash: String?) {
            self.isDisabled = isDisabled
            self.passwordHash = passwordHash
        }
    }

    /// Decides whether a session may perform the operation.
    ///
    /// - Parameters:
    ///   - session: The session's row, read in the transaction that performs the operation.
    ///   - account: Its account, read in the same transaction.
    ///   - clock: The server's time.
    /// - Returns: The reason of the refusal; `nil` if the session may.
    package func refusal(of session: SessionRow, _ account: Account, at clock: ClockReading) -> Refusal? {
        if let reason = session.endReason(at: clock.now) {
            return session.ending != nil || clock.isTrusted ? .sessionOver(reason) : .clockNotTrusted
        }
        if account.isDisabled { return .accountDisabled }
        switch self {
        case .alive: return nil
        case .freshSignIn(let span):
            return Self.isFresh(session.createdAt, within: span, at: clock.now) ? nil : .staleSignIn
        case .verifiedPassword(let hash): return account.passwordHash == hash ? nil : .passwordChanged
        }
    }

    /// Whether a sign-in happened no longer than `span` ago.
    ///
    /// A sign-in with a time in the future, from a wrong clock, is not fresh until then.
    package static func isFresh(_ signIn: Timestamp, within span: Duration, at now: Timestamp) -> Bool {
        let age = now - signIn
        return age <= span && age >= .zero - ClockTrust.tolerance
    }
}
