// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

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
