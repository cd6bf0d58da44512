// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// What an operator decides about keys.
package struct KeyConfiguration: Equatable, Sendable {
    /// How old a key gets before the next one takes its place; `nil` for as old as the operator lets it.
    package var rotation: Duration?
    /// How long a key is known before it is used: longer than a key set is kept by those who fetched it, and than
    /// servers on one folder take to look.
    package var activationDelay = Duration.seconds(900)
    /// How often the folder is looked at.
    package var interval = Duration.seconds(10)
    /// Where keys come from that are not made in the data folder.
    package var source: KeySource?
    /// How often a program is run that prints keys.
    package var commandInterval = Duration.seconds(60)

    package init() {}

    /// Shorter, and the next key would be due before the last one is in use.
    package static let minimumRotation = Duration.seconds(3600)

    /// Refuses what could not work; a program is not run for that.
    package func validate() throws(IdentityStartupError) {
        guard rotation.map({ $0 >= Self.minimumRotation }) ?? true else { throw .rotationTooFast }
        switch source {
        case nil: break
        case .text(let text)?:
            do { _ = try KeyDocument(text) } catch { throw .keys("FRESHET_KEYS: \(error.description)") }
        case .program(let words)?:
            guard let path = words.first, path.hasPrefix("/"), FileManager.default.isExecutableFile(atPath: path) else {
                throw .keys("keys-command: begins with no program's whole path; no shell looks for it")
            }
        }
    }
}
