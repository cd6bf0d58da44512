// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// Where an operator keeps keys that are not to lie in the data folder.
package enum KeySource: Equatable, Sendable, Masked {
    /// The keys themselves, as the environment has them.
    case text(String)
    /// A program that prints them: its path, and its arguments.
    case program([String])

    package var mask: String {
        switch self {
        case .text: "KeySource(a text)"
        case .program(let words): "KeySource(\(words.first ?? ""))"
        }
    }
}
