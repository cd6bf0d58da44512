// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value of a setting on the command line, in the environment or in a file.
struct GivenSetting {
    /// The name that was used: the setting's, or its alias.
    let name: String
    let text: String
    let source: SettingSource

    /// The name of the setting in messages.
    var label: String { source.label(name) }
    var origin: String { source.description(name) }
}
