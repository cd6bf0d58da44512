// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value of a setting that the command line, the environment or a file gives.
struct GivenSetting {
    /// The name that was used: the setting's, or its alias.
    let name: String
    let text: String
    let source: SettingSource

    /// What messages call the setting.
    var label: String { source.label(name) }
    var origin: String { source.description(name) }
}
