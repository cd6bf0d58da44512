// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// The text with a capital letter at its beginning, as a sentence has.
    var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
