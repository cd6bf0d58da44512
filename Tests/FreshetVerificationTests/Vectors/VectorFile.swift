// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A file of cases with verdicts, and the results of our code.
struct VectorFile: Sendable, CustomStringConvertible {
    /// Cases in which our code differs from the file's verdict.
    struct Exception: Sendable {
        /// The `tcId`s; `nil` for all cases that are not invalid.
        let ids: ClosedRange<Int>?
        let reason: String

        init(_ id: Int, _ reason: String) { self.init(id...id, reason) }

        init(_ ids: ClosedRange<Int>?, _ reason: String) {
            self.ids = ids
            self.reason = reason
        }

        static func allValid(_ reason: String) -> Exception { Exception(nil, reason) }
    }

    let name: String
    /// The number of cases, which differs in a newer file.
    let cases: Int
    /// The number of cases that our code accepts.
    let accepted: Int
    var exceptions: [Exception] = []

    var description: String { name }
}
