// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

/// One change that makes a correct contract faulty, and what is told about it.
struct DiagnosticCase: CustomTestStringConvertible, Sendable {
    let place: String
    /// As JSON; `nil` takes the member away.
    let value: String?
    let path: String
    let sentence: String

    init(_ place: String, _ value: String?, _ path: String, _ sentence: String) {
        self.place = place
        self.value = value
        self.path = path
        self.sentence = sentence
    }

    var testDescription: String { "\(place) = \(value ?? "nothing")" }

    /// The mistakes that reading tells of the full contract with this change.
    func told() throws -> [ContractDiagnostic] {
        let value = try value.map { try JSONParser.parse($0.utf8) }
        return diagnostics(in: FullContract.json.replacing(place, with: value))
    }
}

/// The diagnostics of decoding a contract; empty if it is valid.
func diagnostics(in json: JSONValue) -> [ContractDiagnostic] {
    do throws(ContractDecodingError) {
        _ = try ContractDocument(json)
        return []
    } catch { return error.diagnostics }
}
