// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The system's side of an app's lifecycle: its notifications, its state and its background tasks.
@MainActor
struct LifecycleEnvironment {
    /// The center that posts the notifications.
    var center = NotificationCenter.default
    /// The meaning of each notification.
    var signals: [Notification.Name: AuthSession.Lifecycle.Signal]
    /// Whether the app is active now.
    var isActive: @MainActor () -> Bool = { false }
    /// Registers the handler of a background task, and returns whether the system accepted it.
    var registerBackgroundTask: @MainActor (_ identifier: String) -> Bool = { _ in false }
    /// Schedules the next run of a background task, and returns whether the system accepted it; `nil` if none is
    /// needed.
    var scheduleBackgroundRefresh: @MainActor @Sendable (_ identifier: String) -> Bool? = { _ in false }

    /// The environment of this system; `nil` on systems without apps that come and go.
    static var system: LifecycleEnvironment? {
        #if os(iOS) || os(tvOS) || os(visionOS)
            .uiKit
        #elseif os(macOS)
            .appKit
        #elseif os(watchOS)
            .watchKit
        #else
            nil
        #endif
    }
}
