// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession {
    /// The parts of the app's lifecycle that a session follows by itself, by the system's notifications.
    ///
    /// It has an effect on Apple's systems only. An app that does not use it calls ``AuthSession/enterForeground()``,
    /// ``AuthSession/reload()`` and ``AuthSession/refreshInBackground()`` itself.
    public struct Lifecycle: Sendable, Equatable {
        /// Whether the session follows the app to the foreground and the background.
        ///
        /// The system does not suspend apps on macOS: there, the session stays in the foreground once the app was
        /// active. In an app extension, the session follows the host app.
        public var followsForeground: Bool
        /// Whether the session reads its store again when the device is unlocked.
        public var reloadsWhenUnlocked: Bool
        /// The identifier of the background task that refreshes the session; `nil` for none.
        ///
        /// Background tasks exist on iOS, tvOS and visionOS.
        /// List it in the app's `Info.plist` under `BGTaskSchedulerPermittedIdentifiers`. Several sessions may have the
        /// same identifier; the task then refreshes all of them.
        public var backgroundTask: String?

        /// Creates a value; by default the session follows nothing.
        public init(
            followsForeground: Bool = false,
            reloadsWhenUnlocked: Bool = false,
            backgroundTask: String? = nil
        ) {
            self.followsForeground = followsForeground
            self.reloadsWhenUnlocked = reloadsWhenUnlocked
            self.backgroundTask = backgroundTask
        }
    }
}

extension AuthSession.Lifecycle {
    /// A change of the app's state that the system reports.
    enum Signal: Sendable, Equatable {
        case becameActive
        case enteredBackground
        case unlocked
    }

    /// A reaction of the session.
    enum Action: Sendable, Equatable {
        case enterForeground
        case enterBackground
        case reload
        case scheduleBackgroundRefresh(String)
    }

    /// Returns the session's reactions to a signal, in their order.
    func actions(on signal: Signal) -> [Action] {
        switch signal {
        case .becameActive: followsForeground ? [.enterForeground] : []
        case .enteredBackground:
            (followsForeground ? [.enterBackground] : [])
                + (backgroundTask.map { [.scheduleBackgroundRefresh($0)] } ?? [])
        case .unlocked: reloadsWhenUnlocked ? [.reload] : []
        }
    }
}

extension AuthSession {
    /// Notifies the session that the app entered the foreground.
    ///
    /// From now on the access token is refreshed before it expires, and pending sign-outs are delivered to the server.
    /// The store is read again, since other processes may have changed it.
    public func enterForeground() { driver.setPhase(.foreground) }

    /// Notifies the session that the app left the foreground, and may be suspended at any moment.
    ///
    /// Stops all timers. A refresh in progress continues as long as the system allows; requests work as before.
    public func enterBackground() { driver.setPhase(.background) }

    /// Waits until the latest of these calls has been applied; the calls themselves return immediately.
    package func followPhase() async { await driver.applyLatestPhase() }

    /// Reads the store again: it may have become readable, or another process may have changed it.
    public func reload() async { await driver.reload() }
}
