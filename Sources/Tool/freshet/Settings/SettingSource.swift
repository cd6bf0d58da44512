// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The source of a setting's value.
enum SettingSource: Equatable, Sendable {
    case commandLine
    case environment
    case file(String)

    /// Returns the name of a setting in messages: `--port`, `FRESHET_PORT` or `PATH: port`.
    func label(_ name: String) -> String {
        switch self {
        case .commandLine: "--\(name)"
        case .environment: Setting.variable(name)
        case .file(let path): "\(path): \(name)"
        }
    }

    /// Returns the source as `--print-config` prints it.
    func description(_ name: String) -> String {
        switch self {
        case .commandLine: "command line"
        case .environment: "environment, \(Setting.variable(name))"
        case .file(let path): "file \(path)"
        }
    }
}
