// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(AppKit) && !os(iOS)
    internal import AppKit
    internal import Foundation

    extension LifecycleEnvironment {
        /// The lifecycle of an app on macOS, which the system does not suspend: it never enters the background.
        static var appKit: LifecycleEnvironment {
            var environment = LifecycleEnvironment(
                signals: [NSApplication.didBecomeActiveNotification: .becameActive]
            )
            // `NSApp` is nil in a process without an app, such as a command-line tool.
            environment.isActive = { NSApp?.isActive ?? false }
            return environment
        }
    }
#endif
