// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The server's log, which survives any termination of the process.
struct ServerLog {
    let file: URL

    /// The counts of the log so far.
    struct Counts: Equatable {
        var requests = 0
        var refreshesServed = 0
        /// Refreshes that returned a successor already issued to them or to a duplicate.
        var repeated = 0
        var superseded = 0
        var logins = 0
        /// The number of ended sessions, by reason.
        var ends: [String: Int] = [:]
    }

    private struct Record: Decodable {
        var message: String
        var outcome: String?
        var reason: String?
    }

    func counts() -> Counts {
        guard let data = try? Data(contentsOf: file) else { return Counts() }
        let decoder = JSONDecoder()
        return data.split(separator: UInt8(ascii: "\n")).reduce(into: Counts()) { counts, line in
            guard let record = try? decoder.decode(Record.self, from: Data(line)) else { return }
            switch (record.message, record.outcome) {
            case ("request", _): counts.requests += 1
            case ("login", _): counts.logins += 1
            case ("session ended", _): counts.ends[record.reason ?? "?", default: 0] += 1
            case ("refresh", "superseded"): counts.superseded += 1
            case ("refresh", "repeated"):
                counts.refreshesServed += 1
                counts.repeated += 1
            case ("refresh", let outcome?)
            where ["bound", "proved", "rolled_forward"].contains(outcome):
                counts.refreshesServed += 1
            default: break
            }
        }
    }
}
