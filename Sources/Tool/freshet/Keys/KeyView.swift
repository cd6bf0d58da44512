// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetIdentity

/// A key as the tool prints it.
struct KeyView: Encodable {
    var kind: String
    var number: UInt8?
    var state: String
    /// The time of the state's beginning, or of the planned one.
    var at: Date?

    init(_ kind: KeyKind, _ number: UInt8?, state: String, at milliseconds: Int64? = nil) {
        self.kind = kind.rawValue
        self.number = number
        self.state = state
        at = milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// The header of the table of keys.
    static let columns = ["kind", "number", "state", "time"]

    /// The row of the table of keys.
    var cells: [String] {
        [kind, number.map { "\($0)" } ?? "", state, at?.formatted(.iso8601) ?? ""]
    }
}
