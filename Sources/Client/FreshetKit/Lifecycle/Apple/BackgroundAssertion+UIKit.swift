// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension BackgroundAssertion {
        /// A background task of `UIApplication`, for ``AuthSession/Configuration/backgroundAssertion``.
        ///
        /// Not available in app extensions.
        @available(iOSApplicationExtension, unavailable)
        @available(tvOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public static var application: BackgroundAssertion {
            BackgroundAssertion { name, expired in
                let task = await BackgroundTask(name, expired)
                return { Task { @MainActor in task.end() } }
            }
        }
    }

    @available(iOSApplicationExtension, unavailable)
    @available(tvOSApplicationExtension, unavailable)
    @available(visionOSApplicationExtension, unavailable)
    @MainActor private final class BackgroundTask {
        private var identifier = UIBackgroundTaskIdentifier.invalid

        init(_ name: String, _ expired: @escaping @Sendable () -> Void) {
            identifier = UIApplication.shared.beginBackgroundTask(withName: name) {
                expired()
                // The system terminates an app that does not end its task here.
                self.end()
            }
            // The system does not grant background time.
            if identifier == .invalid { expired() }
        }

        func end() {
            guard identifier != .invalid else { return }
            UIApplication.shared.endBackgroundTask(identifier)
            identifier = .invalid
        }
    }
#endif
