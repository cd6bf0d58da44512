// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

/// The verdicts of our code on the cases of a file.
struct VectorVerdicts {
    private var accepted = 0
    private var count = 0
    /// The cases whose verdict differs from the file's, with their comments.
    private var deviations: [Int: String] = [:]

    mutating func record(_ test: WycheproofFile.Case, isAccepted: Bool) {
        count += 1
        if isAccepted { accepted += 1 }
        // "Acceptable" leaves the verdict to the implementation, so a refusal is a deviation, too.
        guard isAccepted != (test.result != "invalid") else { return }
        deviations[test.id] = "\(isAccepted ? "accepted" : "refused"), though \(test.result): \(test.comment)"
    }

    /// Expects the counts of `file`, no deviation that it does not name, and every deviation that it names.
    func check(_ file: VectorFile, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(count == file.cases, "the number of cases", sourceLocation: sourceLocation)
        #expect(accepted == file.accepted, "the number of accepted cases", sourceLocation: sourceLocation)
        let coversAll = file.exceptions.contains { $0.ids == nil }
        let named = Set(file.exceptions.flatMap { $0.ids.map { Array($0) } ?? [] })
        let others = coversAll ? [:] : deviations.filter { !named.contains($0.key) }
        #expect(others.isEmpty, "deviations that are not named", sourceLocation: sourceLocation)
        let obsolete = named.subtracting(deviations.keys)
        #expect(obsolete.isEmpty, "named deviations that do not occur", sourceLocation: sourceLocation)
    }
}
