// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A background refresh, in the time that the system grants the app.
struct BackgroundRefresh: Sendable {
    /// The shortest interval between two background refreshes that the system grants.
    static let shortestInterval: TimeInterval = 15 * 60

    let session: AuthSession

    /// Refreshes a token that would be due before the next background refresh.
    ///
    /// - Returns: Whether all work is done. A locked keychain or a missing network does not end the session.
    func run() async -> Bool {
        // The keychain may have been locked at the launch, and another process may have refreshed.
        await session.reload()
        switch session.state {
        case .unknown: return false
        case .recordUnusable, .signedOut, .ending: return true
        case .active, .refreshing, .offline: break
        }
        guard let due, due <= now.addingTimeInterval(Self.shortestInterval) else { return true }
        do throws(SessionError) { try await session.refresh() } catch {
            if case .signedOut = session.state { return true }
            return false
        }
        // A process that is suspended right after a refresh would lose the confirmation.
        await session.awaitConfirmation()
        return session.status.isSaved
    }

    /// The time at which the next background refresh would be useful; `nil` if none would be.
    var nextDate: Date? {
        let soonest = now.addingTimeInterval(Self.shortestInterval)
        return session.state == .unknown ? soonest : due.map { max($0, soonest) }
    }

    private var now: Date { session.endpoint.clock.wall() }

    private var due: Date? {
        let status = session.status
        guard status.isRenewable, let end = status.accessTokenExpiresAt else { return nil }
        let lifetime = session.published.current.token.map { $0.expiresAt - $0.askedAt } ?? .zero
        return end.addingTimeInterval(-session.schedule.refreshBefore(lifetime: lifetime).inSeconds)
    }
}

extension AuthSession {
    /// Refreshes ahead of time, in the app's background time or before a program exits.
    ///
    /// It refreshes a token that is due within the next 15 minutes, and waits for a refresh in progress. A program that
    /// exits soon calls it before its exit, on every system: a call may have started a refresh ahead of the expiry
    /// without waiting for it. If the program exits, the response is lost, and a backend that accepts each refresh
    /// token only once then signs the user out. A ``RefreshPolicy/refreshBefore`` of zero avoids this, too.
    ///
    /// A locked keychain or a missing network does not end the session. With SwiftUI, call it from the scene's
    /// `backgroundTask(.appRefresh("…"))`; with UIKit, `register(backgroundTask:)` does so.
    ///
    /// - Returns: Whether all work is done.
    @discardableResult
    public func refreshInBackground() async -> Bool { await BackgroundRefresh(session: self).run() }

    /// The time at which the next background refresh would be useful; `nil` if none would be.
    public var nextBackgroundRefresh: Date? { BackgroundRefresh(session: self).nextDate }
}
