// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Logging

/// Tells the owner of an account by mail what was done to it.
struct AccountNotifier: Sendable {
    let mail: MailTransport
    let limiter: RateLimiter
    let limit: RateLimit
    let log: Logger
    let clock: @Sendable () -> Timestamp

    /// Sends a notice, unless the account had too many today: nobody may fill a mailbox by signing in.
    ///
    /// - Parameters:
    ///   - recipient: The account's address; without one nothing is sent.
    ///   - source: The client whose act the notice is about.
    ///   - write: Writes the mail.
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
