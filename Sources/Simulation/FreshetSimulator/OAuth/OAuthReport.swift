// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The figures of a history's device with an OAuth library.
package struct OAuthReport: Sendable, Equatable {
    package var refreshes = 0
    /// The sessions of which the device was told that they had ended, by reason.
    var ended: [KnownEndReason: Int] = [:]

    static func += (sum: inout OAuthReport, other: OAuthReport) {
        sum.refreshes += other.refreshes
        sum.ended.merge(other.ended) { $0 + $1 }
    }

    /// The figures in words.
    var text: String {
        let reasons = KnownEndReason.allCases.compactMap { reason in
            ended[reason].map { ", \(reason.rawValue) \($0)" }
        }
        return "OAuth libraries: refreshes \(refreshes), ended sessions"
            + (reasons.isEmpty ? " none" : reasons.joined())
    }
}
