// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The description of this device in the list of the user's sessions.
///
/// All fields are optional.
public struct DeviceDescription: Sendable, Equatable {
    /// The user's name for the device.
    public var name: String?
    /// The operating system.
    public var platform: String?
    /// The device model.
    public var model: String?
    /// The app's name.
    public var app: String?
    /// The app's version.
    public var appVersion: String?

    /// Creates a description of this device; without arguments it holds only the operating system.
    public init(
        name: String? = nil,
        platform: String? = DeviceDescription.currentPlatform,
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

    /// The operating system that this code was built for.
    public static var currentPlatform: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "macOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(watchOS)
            "watchOS"
        #elseif os(visionOS)
            "visionOS"
        #elseif os(Linux)
            "Linux"
        #else
            "unknown"
        #endif
    }

    init(wire: Device) {
        self.init(
            name: wire.name,
            platform: wire.platform,
            model: wire.model,
            app: wire.app,
            appVersion: wire.appVersion
        )
    }

    var wire: Device {
        Device(name: name, platform: platform, model: model, app: app, appVersion: appVersion)
    }
}
