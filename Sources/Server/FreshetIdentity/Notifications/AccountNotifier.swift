// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetMail
import FreshetWire
package import Logging

/// Notifies the owner of an account by mail of changes to it.
package struct AccountNotifier: Sendable {
    package let mail: MailTransport
    package let limiter: RateLimiter
    let limit: RateLimit
    let log: Logger
    let clock: @Sendable () -> Timestamp

    package init(
        mail: MailTransport,
        limiter: RateLimiter,
        limit: RateLimit,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.mail = mail
        self.limiter = limiter
        self.limit = limit
        self.log = log
        self.clock = clock
    }

    /// Sends a notice to each address of an account's owner.
    func send(
        _ recipients: [EmailAddress],
        from source: SourceAddress?,
        _ write: (EmailAddress, Timestamp) -> MailMessage
    ) {
        for recipient in recipients { send(recipient, from: source, write) }
    }

    /// Sends a notice, unless the account's daily limit is reached: sign-ins must not fill a mailbox.
    ///
    /// - Parameters:
    ///   - recipient: The account's address; `nil` sends nothing.
    ///   - source: The client whose action the notice is about.
    ///   - write: Composes the mail.
    func send(
        _ recipient: EmailAddress?,
        from source: SourceAddress?,
        _ write: (EmailAddress, Timestamp) -> MailMessage
    ) {
        guard let recipient else { return }
        let now = clock()
        let message = write(recipient, now)
        do throws(APIError) {
            try limiter.take(RateLimitPlan([RateLimitCharge(.account(.notice, recipient), limit)]), now: now)
            mail.send(message, source)
        } catch {
            log.notice("notice left out: too many", metadata: ["kind": "\(message.kind.rawValue)"])
        }
    }
}
