// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A cause for which a foreign backend ended a session that no client could have kept.
package enum ForeignLimit: String, CaseIterable, Sendable {
    /// The response with the successor of the refresh token did not arrive.
    case lostResponse = "after a lost response"
    /// The response arrived after a later attempt had presented the same token.
    case slowResponse = "after a response that took longer than an attempt"
    /// The process ended before it received the response.
    case endedProcess = "after the end of a process during a refresh"
    /// The network delivered a request twice.
    case repeatedRequest = "after a request that was delivered twice"
    /// The successor could not be stored, and the process that held it ended, or another one refreshed.
    case unstoredSuccessor = "after a successor that could not be stored"
    /// A sign-out presents the access token, which had expired.
    case expiredLogout = "not ended by a sign-out with an expired access token"
    /// A sign-out presents the newest refresh token that the device has, and the response with a newer one was lost.
    case outdatedLogout = "not ended by a sign-out with a refresh token that had been refreshed"
}

/// The figures of a history's device with a foreign backend.
package struct ForeignReport: Sendable, Equatable {
    /// The contract of the device.
    package var preset: String
    package var refreshes = 0
    /// Sessions that ended by their expiry, or by their user.
    package var ended = 0
    /// Sessions that ended by a limit of the backend.
    package var limits: [ForeignLimit: Int] = [:]
}

/// The figures of all histories' devices with foreign backends.
struct ForeignSummary: Sendable {
    private var presets: [String: (histories: Int, report: ForeignReport)] = [:]

    mutating func add(_ report: ForeignReport) {
        var (histories, sum) = presets[report.preset] ?? (0, ForeignReport(preset: report.preset))
        histories += 1
        sum.refreshes += report.refreshes
        sum.ended += report.ended
        sum.limits.merge(report.limits) { $0 + $1 }
        presets[report.preset] = (histories, sum)
    }

    var lines: [String] {
        presets.sorted { $0.key < $1.key }.map { name, sum in
            let limits = ForeignLimit.allCases.compactMap { limit in
                sum.report.limits[limit].map { ", \(limit.rawValue) \($0)" }
            }
            return "backend of \(name): \(sum.histories) histories, refreshes \(sum.report.refreshes), "
                + "sessions that expired or were revoked \(sum.report.ended)" + limits.joined()
        }
    }
}
