// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// The reason of a dead letter, as stored in a file next to the item's.
struct OutboxDeadLetterRecord: Codable, Equatable, Sendable {
    private enum Reason: String, Codable { case rejected, redirected, expired, damaged, foreignHost }

    private var reason: Reason
    private var status: Int?
    private var text: String?
    /// The time in seconds since 1970, by this device's wall clock.
    private var at: Double
    private var attempts: Int

    init(_ deadLetterReason: OutboxDeadLetterReason, text: String? = nil, at date: Date, attempts: Int) {
        switch deadLetterReason {
        case .rejected(let status): (reason, self.status) = (.rejected, status)
        case .redirected(let status): (reason, self.status) = (.redirected, status)
        case .expired: reason = .expired
        case .damaged: reason = .damaged
        case .foreignHost: reason = .foreignHost
        }
        self.text = text.map(Redaction.short)
        at = date.timeIntervalSince1970
        self.attempts = attempts
    }

    var deadLetterReason: OutboxDeadLetterReason {
        switch reason {
        case .rejected: .rejected(status: status ?? 0)
        case .redirected: .redirected(status: status ?? 0)
        case .expired: .expired
        case .damaged: .damaged
        case .foreignHost: .foreignHost
        }
    }

    func deadLetter(_ entry: OutboxEntry) -> OutboxDeadLetter {
        OutboxDeadLetter(
            id: entry.id,
            lane: entry.lane,
            reason: deadLetterReason,
            text: text,
            deadLetteredAt: Date(timeIntervalSince1970: at),
            attempts: attempts
        )
    }
}
