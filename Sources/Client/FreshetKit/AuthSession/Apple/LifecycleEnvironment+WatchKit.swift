// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(WatchKit) && !os(iOS) && !os(macOS)
    internal import Foundation
    internal import WatchKit

    extension LifecycleEnvironment {
        /// The lifecycle of an app on Apple Watch.
        static var watchKit: LifecycleEnvironment {
            var environment = LifecycleEnvironment(
                signals: [
                    WKApplication.didBecomeActiveNotification: .becameActive,
                    WKApplication.didEnterBackgroundNotification: .enteredBackground,
                ]
            )
            environment.isActive = {
                // An extension, such as a widget, has no app.
                Bundle.main.bundleURL.pathExtension != "appex" && WKApplication.shared().applicationState == .active
            }
            return environment
        }
    }
#endif
