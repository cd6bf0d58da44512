// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit
public import Observation

/// The sign-in screen: the server mails a code, and creates the account if there is none.
///
/// Nothing here switches screens: a successful sign-in changes the session's state, and that selects the screen.
@MainActor @Observable
public final class SignInModel {
    /// The address that the user enters.
    public var email = ""
    /// The code that the user enters.
    public var code = ""
    /// The text for the user, empty if nothing is wrong.
    public private(set) var message = ""
    /// Whether a code was mailed, so that the screen has a field for it.
    public var isCodeSent: Bool { attempt != nil }
    private var attempt: EmailCodeAttempt?
    @ObservationIgnored private let account: Account

    /// A screen with empty fields.
    public init(_ account: Account) { self.account = account }

    /// Has the server mail a code.
    public func sendCode() async {
        await show { session throws(SessionError) in attempt = try await session.requestEmailCode(email: email) }
    }

    /// Signs in; a repetition after a lost response opens no second session.
    public func signIn() async {
        guard let attempt else { return }
        // By password: .password(email: email, password: password)
        await show { session throws(SessionError) in try await session.signIn(.emailCode(attempt, code: code)) }
    }

    private func show(_ action: (AuthSession) async throws(SessionError) -> Void) async {
        do throws(SessionError) {
            try await action(account.session)
            message = ""
        } catch {
            message = error.message
        }
    }
}
