// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

extension MailMessage {
    /// The lifetime of mails without a code.
    static let noticeLifetime = Duration.seconds(4 * 3600)

    /// A mail with a code: to sign in, to choose a new password, to add an address.
    package static func code(
        _ kind: Kind,
        _ code: String,
        attempt: String,
        to recipient: EmailAddress,
        until end: Timestamp,
        lifetime: Duration
    ) -> MailMessage {
        let (subject, purpose) =
            switch kind {
            case .resetCode: ("Your code for a new password", "choose a new password")
            case .linkCode: ("Your code to add this address", "add this address to your account")
            default: ("Your sign-in code", "sign in")
            }
        let minutes = max(1, lifetime.wholeSeconds / 60)
        let text = """
            \(code) is your code to \(purpose). It expires in \(minutes) minute\(minutes == 1 ? "" : "s").

            Do not share it. If you did not request it, you need not do anything.
            """
        return MailMessage(
            recipient: recipient,
            kind: kind,
            subject: subject,
            text: text,
            code: (code, attempt),
            expiresAt: end
        )
    }

    /// Returns a notice of a sign-in on a device that is new to the account.
    package static func newDevice(_ device: Device, place: String?, to recipient: EmailAddress, at now: Timestamp)
        -> MailMessage
    {
        notice(
            .newDevice,
            "A new device is signed in",
            """
            A device that is new to your account has just signed in.

            Device: \(line([device.name, device.model, device.platform]))
            App: \(line([device.app, device.appVersion]))
            From: \(line([place]))

            If that was not you, sign out everywhere and choose a new password.
            """,
            recipient,
            now
        )
    }

    /// Returns a notice of a changed password.
    package static func passwordChanged(place: String?, to recipient: EmailAddress, at now: Timestamp) -> MailMessage {
        notice(
            .passwordChanged,
            "Your password was changed",
            """
            The password of your account was just changed, from \(line([place])).

            If that was not you, ask for a code to choose a new password, and sign out everywhere.
            """,
            recipient,
            now
        )
    }

    /// Returns a notice of an added sign-in method.
    package static func signInAdded(_ what: String, place: String?, to recipient: EmailAddress, at now: Timestamp)
        -> MailMessage
    {
        notice(
            .signInAdded,
            "Another way to sign in was added",
            """
            Your account can now be signed in to with \(what) as well. This was done from \(line([place])).

            If that was not you, sign out everywhere and choose a new password.
            """,
            recipient,
            now
        )
    }

    /// Returns a notice of a removed sign-in method.
    package static func signInRemoved(_ what: String, place: String?, to recipient: EmailAddress, at now: Timestamp)
        -> MailMessage
    {
        notice(
            .signInRemoved,
            "A way to sign in was removed",
            """
            Your account can no longer be signed in to with \(what). This was done from \(line([place])).

            If that was not you, sign out everywhere and choose a new password.
            """,
            recipient,
            now
        )
    }

    private static func notice(
        _ kind: Kind,
        _ subject: String,
        _ text: String,
        _ recipient: EmailAddress,
        _ now: Timestamp
    ) -> MailMessage {
        MailMessage(recipient: recipient, kind: kind, subject: subject, text: text, expiresAt: now + noticeLifetime)
    }

    /// Joins texts that a client sent into one line, without characters that mail programs turn into links.
    private static func line(_ parts: [String?]) -> String {
        let phrases = parts.compactMap { part in
            part.map { text in
                String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.filter { scalar in
                            !["<", ">", "/", "@"].contains(scalar) && !scalar.isControl
                        }
                    )
                )
            }
        }
        let text = phrases.filter { !$0.isEmpty }.joined(separator: ", ")
        return text.isEmpty ? "unknown" : text
    }
}
