// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The operator's settings of keys.
package struct KeyConfiguration: Equatable, Sendable {
    /// The age at which a key is superseded by the next one; `nil` for no automatic rotation.
    package var rotation: Duration?
    /// The time for which a key is published before it is used.
    ///
    /// It is longer than clients cache a key set, and longer than servers that share a directory take to reload it.
    package var activationDelay = Duration.seconds(900)
    /// The interval at which the directory is reloaded.
    package var interval = Duration.seconds(10)
    /// The source of external keys, if any.
    package var source: KeySource?
    /// The interval at which the key command is run.
    var commandInterval = Duration.seconds(60)

    package init() {}

    /// The minimum interval of rotations.
    ///
    /// With a shorter one, the next key would be due before the last one is in use.
    package static let minimumRotation = Duration.seconds(3600)

    /// Validates the settings, without running the key command.
    package func validate() throws(IdentityStartupError) {
        guard rotation.map({ $0 >= Self.minimumRotation }) ?? true else { throw .rotationTooFast }
        switch source {
        case nil: break
        case .text(let text)?:
            do { _ = try KeyDocument(text) } catch { throw .keys("FRESHET_KEYS: \(error.description)") }
        case .program(let command)?:
            guard let path = command.first, path.hasPrefix("/"), FileManager.default.isExecutableFile(atPath: path)
            else {
                throw .keys(
                    "keys-command: the first word must be the absolute path of an executable file; no shell looks it up"
                )
            }
        }
    }
}
