// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension AuthSession {
        /// Reads the store again whenever the device was unlocked.
        ///
        /// Call it once at launch. The system may launch an app before the user has unlocked the device; the session is
        /// then ``SessionState/unknown`` until shortly after the unlock, whether or not the app enters the foreground.
        @MainActor
        public func reloadWhenUnlocked() {
            reload(on: UIApplication.protectedDataDidBecomeAvailableNotification)
        }
    }
#endif

extension AuthSession {
    /// Reads the store again at every notification of this name, until the session is released.
    func reload(on name: Notification.Name, of center: NotificationCenter = .default) {
        _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
            guard let self else { return }
            Task { await self.reload() }
        }
    }
}
