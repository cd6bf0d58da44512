// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An invalid value of a setting, as in "'VALUE' is not a whole number from 1 to 64".
struct SettingError: Error, Equatable, CustomStringConvertible {
    /// The text, or the element of a list.
    let value: String
    /// The rest of the sentence.
    let reason: String

    init(_ value: String, _ reason: String) {
        self.value = value
        self.reason = reason
    }

    var description: String { "'\(value)' \(reason)" }
}
