// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension AuthSession {
    /// The app came to the foreground.
    ///
    /// From now on the access token is refreshed before it ends and before anybody asks, and sign-outs that the server has
    /// yet to hear of are told. What other processes did meanwhile is looked up.
    public func enterForeground() { driver.setPhase(.foreground) }

    /// The app left the foreground, and may be suspended at any moment.
    ///
    /// No timer runs any more. A refresh under way goes on for as long as the system lets it; requests are served as before.
    public func enterBackground() { driver.setPhase(.background) }

    /// Waits until the latest of these calls has had its effect; the calls themselves return at once.
    package func followPhase() async { await driver.applyLatestPhase() }

    /// Looks into the store again, as at a moment when it may have become readable or another process may have changed it.
    public func reload() async { await driver.reload() }
}
