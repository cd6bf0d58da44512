// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An error in a contract file.
package struct ContractDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The place of the error, as a JSON path: `$.classify[2].status`.
    package var path: String
    /// A description of the error and of the expected value.
    package var sentence: String

    package init(path: String, sentence: String) {
        self.path = path.printable
        self.sentence = sentence.printable
    }

    package var description: String { "\(path): \(sentence)" }
}

/// The errors for which a contract file is rejected.
package struct ContractDecodingError: Error, Equatable, CustomStringConvertible {
    /// The errors; at least one.
    package var diagnostics: [ContractDiagnostic]

    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
