// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The source of keys that are not stored in the data folder.
package enum KeySource: Equatable, Sendable, Masked {
    /// The keys themselves, from the environment.
    case text(String)
    /// A command that prints the keys: the path of its executable, and its arguments.
    case program([String])

    var mask: String {
        switch self {
        case .text: "KeySource(a text)"
        case .program(let command): "KeySource(\(command.first ?? ""))"
        }
    }
}
