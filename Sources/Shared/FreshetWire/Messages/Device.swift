// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A client's description of the device it runs on, for the list of sessions.
///
/// Every member is optional and must not be trusted.
package struct Device: Codable, Equatable, Sendable {
    package var name: String?
    package var platform: String?
    package var model: String?
    package var app: String?
    package var appVersion: String?

    package init(
        name: String? = nil,
        platform: String? = nil,
        model: String? = nil,
        app: String? = nil,
        appVersion: String? = nil
    ) {
        self.name = name
        self.platform = platform
        self.model = model
        self.app = app
        self.appVersion = appVersion
    }

    private enum CodingKeys: String, CodingKey {
        case name, platform, model, app
        case appVersion = "app_version"
    }
}
