// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetWire

/// A typed or piped text that must not be printed: a password, a code, a token.
struct Secret: ExpressibleByArgument, Masked {
    /// The secret itself.
    let text: String

    init(_ text: String) { self.text = text }

    init(argument: String) { self.init(argument) }

    var mask: String { "•••" }
}
