// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Settings under one heading of `--help` and of docs/handbook/settings.md.
///
/// Each is applied after those before it.
protocol SettingsSection: Sendable {
    static var title: String { get }
    static var settings: [Setting] { get }
}
