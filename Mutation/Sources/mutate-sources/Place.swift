// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SwiftSyntax

/// What a mutant changes.
struct Change {
    var `operator`: String
    var replacement: String
}

/// A place in a source with its changes.
struct Place {
    var changes: [Change]
    /// Returns the text that replaces the place, given the numbers of its changes and a function that renders parts.
    var build: (_ numbers: String, _ render: (Syntax) -> String) -> String
}
