// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    internal import UIKit

    extension LifecycleEnvironment {
        /// The lifecycle of an app with UIKit or SwiftUI, or of an extension's host app.
        static var uiKit: LifecycleEnvironment {
            var environment = LifecycleEnvironment(
                signals: [
                    UIApplication.didBecomeActiveNotification: .becameActive,
                    UIApplication.didEnterBackgroundNotification: .enteredBackground,
                    UIApplication.protectedDataDidBecomeAvailableNotification: .unlocked,
                    .NSExtensionHostDidBecomeActive: .becameActive,
                    .NSExtensionHostDidEnterBackground: .enteredBackground,
                ]
            )
            environment.isActive = { application?.applicationState == .active }
            #if canImport(BackgroundTasks)
                environment.registerBackgroundTask = { identifier in
                    // An active app has finished launching: the system would terminate it. Before `UIApplicationMain`, as in
                    // the initializer of a SwiftUI `App`, there is no application yet.
                    guard !isExtension, application?.applicationState != .active else { return false }
                    return BackgroundTaskSessions.shared.registerHandler(of: identifier)
                }
                environment.scheduleBackgroundRefresh = { identifier in
                    BackgroundTaskSessions.shared.schedule(identifier)
                }
            #endif
            return environment
        }

        private static var isExtension: Bool { Bundle.main.bundleURL.pathExtension == "appex" }

        /// The app; `nil` in an app extension, and before `UIApplicationMain`.
        private static var application: UIApplication? {
            // `UIApplication.shared` cannot be compiled for app extensions.
            guard !isExtension else { return nil }
            return UIApplication.value(forKeyPath: "sharedApplication") as? UIApplication
        }
    }
#endif
