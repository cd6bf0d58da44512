// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// Returns the name that this misspelt one probably means; `nil` if none is near.
    ///
    /// A name is near if at most two characters are inserted, deleted or replaced, and half of them at most.
    func nearest(of names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(to: $0)) }
        return distances.filter { $0.distance <= 2 && $0.distance * 2 <= $0.name.count }
            .min { $0.distance < $1.distance }?.name
    }

    /// The Levenshtein distance.
    private func distance(to other: String) -> Int {
        var row = Array(0...other.count)
        for (index, character) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, wanted) in other.enumerated() {
                let replaced = diagonal + (character == wanted ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
