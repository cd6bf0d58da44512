// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetWire

@Suite struct `Reasons for an ended session` {
    @Test func `every end reason has the text of the protocol, and three reasons indicate theft`() {
        #expect(
            EndReason.allCases.map(\.rawValue) == [
                "logout", "logout_all", "revoked_by_user", "revoked_by_operator", "fork", "reuse", "stale_holder",
                "idle_timeout", "absolute_timeout", "user_disabled", "session_limit", "provider_revoked",
            ]
        )
        #expect(EndReason.allCases.filter(\.isTheft) == [.fork, .reuse, .staleHolder])
    }

    @Test(arguments: EndReason.allCases)
    func `an end reason of this version is read from its stored name`(reason: EndReason) {
        #expect(EndReason(stored: reason.rawValue) == reason)
        #expect(reason.label == reason.rawValue)
    }

    @Test(arguments: [("newer_reason", "newer_reason"), ("<b>", "other"), ("", "other"), (nil, "other")])
    func `an unknown end reason is a forced end without theft, with the label other`(stored: String?, told: String) {
        let reason = EndReason(stored: stored)
        #expect(reason.rawValue == told)
        #expect(reason.label == "other")
        #expect(reason.isForced && !reason.isTheft)
        #expect(!reason.details.cause.leavesDeviceTrusted)
        #expect(reason.details.userSentence.contains("(\(told))"))
        #expect(reason.details.summary.contains("(\(told))"))
        #expect(reason.details.operatorSentence.text { _ in nil }.contains("(\(told))"))
    }

    @Test(arguments: KnownEndReason.allCases)
    func `each end reason has a sentence for users and one for operators`(reason: KnownEndReason) {
        for sentence in [reason.details.userSentence, reason.details.operatorSentence.text { _ in nil }] {
            #expect(sentence.hasSuffix("."))
            #expect(!sentence.contains("_"))
        }
        #expect(!reason.details.summary.isEmpty)
    }

    @Test func `session end reasons are classified by force, expiry, device trust and need for attention`() {
        func reasons(_ isWanted: (EndReason) -> Bool) -> [EndReason] { EndReason.allCases.filter(isWanted) }
        #expect(reasons { !$0.isForced } == [.logout, .logoutAll, .revokedByUser])
        #expect(reasons { $0.details.cause == .expiry } == [.idleTimeout, .absoluteTimeout])
        let trusted = reasons { $0.details.cause.leavesDeviceTrusted }
        #expect(trusted == [.logout, .idleTimeout, .absoluteTimeout, .sessionLimit])
        #expect(reasons { $0.details.cause.needsAttention } == [.fork, .reuse, .staleHolder, .userDisabled])
    }

    @Test func `an end reason's sentence omits an unknown value and the text around it`() {
        let sentence: EndReasonSentence = "Ended\(.initiator, before: " by ", after: "!", else: "."), \(.age)"
        #expect(sentence.text { $0 == .initiator ? "Ann" : nil } == "Ended by Ann!, ")
        #expect(sentence.text { $0 == .age ? "old" : nil } == "Ended., old")
    }

    @Test func `PROTOCOL.md lists every end reason`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../PROTOCOL.md")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "| Reason | Meaning |"), "PROTOCOL.md has no table of reasons")
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        let expected = KnownEndReason.allCases.map { "| `\($0.rawValue)` | \($0.details.summary) |" }
        #expect(Array(rows) == expected, "the rows have to be:\n\(expected.joined(separator: "\n"))")
    }
}
