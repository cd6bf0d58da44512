// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides which files of an earlier version get a new name, so that names differ in more than case.
///
/// A pure rule over the names that a folder lists. It compares their exact spelling, which a case-insensitive volume
/// preserves; opening `abc` there would find `aBc`.
package enum FileNameMigration {
    package struct Step: Equatable, Sendable {
        package var old: String
        package var new: String
    }

    /// Returns the steps for files that are named after a text and one of these suffixes.
    ///
    /// - Parameters:
    ///   - names: The file names in the folder.
    ///   - suffixes: The suffixes that may follow the text; an empty one stands for the text alone.
    /// - Returns: One step for each file whose name ``FileName/escaped(_:)`` would not return.
    package static func steps(_ names: [String], suffixes: [String]) -> [Step] {
        names.compactMap { old in
            for suffix in suffixes where old.hasSuffix(suffix) {
                guard let text = FileName.unescapedKeepingCase(String(old.dropLast(suffix.count))) else { continue }
                let new = FileName.escaped(text) + suffix
                return new == old ? nil : Step(old: old, new: new)
            }
            return nil
        }
    }
}
