// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What an operator decides about keys.
package struct KeyConfiguration: Equatable, Sendable {
    /// How old a key gets before the next one takes its place; `nil` for as old as the operator lets it.
    package var rotation: Duration?
    /// How long a key is known before it is used: longer than a key set is kept by those who fetched it, and than
    /// servers on one folder take to look.
    package var lead = Duration.seconds(900)
    /// How often the folder is looked at.
    package var interval = Duration.seconds(10)

    package init() {}

    /// Shorter, and the next key would be due before the last one is in use.
    package static let leastRotation = Duration.seconds(3600)
}
