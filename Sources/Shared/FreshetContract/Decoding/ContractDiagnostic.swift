// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Something in a contract file that is not as it must be.
package struct ContractDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands, as a JSON path: `$.classify[2].status`.
    package var path: String
    /// What is wrong, and what would be right.
    package var sentence: String

    package init(path: String, sentence: String) {
        self.path = path.printable
        self.sentence = sentence.printable
    }

    package var description: String { "\(path): \(sentence)" }
}

/// Why a file is no contract.
package struct ContractDecodingError: Error, Equatable, CustomStringConvertible {
    /// At least one.
    package var diagnostics: [ContractDiagnostic]

    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
