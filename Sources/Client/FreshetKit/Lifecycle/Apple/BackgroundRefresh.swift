// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// What a session does when the system gives its app a moment in the background.
struct BackgroundRefresh: Sendable {
    /// No app is given such moments more often.
    static let shortestInterval: TimeInterval = 15 * 60

    let session: AuthSession

    /// Refreshes what would be due before the next such moment.
    ///
    /// - Returns: Whether nothing is left to do. A keychain that is locked, or a network that is away, harms nothing.
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
        // A process that is suspended right after a refresh would take the confirmation along.
        await session.awaitConfirmation()
        return session.status.isSaved
    }

    /// When the next such moment would be of use; `nil` if none is.
    var nextDate: Date? {
        let soonest = now.addingTimeInterval(Self.shortestInterval)
        return session.state == .unknown ? soonest : due.map { max($0, soonest) }
    }

    private var now: Date { session.endpoint.clock.wall() }

    private var due: Date? {
        let status = session.status
        guard status.isRenewable, let end = status.accessTokenExpiresAt else { return nil }
        let lifetime = session.published.current.token.map { $0.expiresAt - $0.askedAt } ?? .zero
        return end.addingTimeInterval(-session.schedule.lead(lifetime: lifetime).inSeconds)
    }
}

extension AuthSession {
    /// Refreshes ahead of time in a moment that the system gives the app in the background.
    ///
    /// It tolerates a keychain that is locked and a network that is away. With SwiftUI, call it from the scene's
    /// `backgroundTask(.appRefresh("…"))`; with UIKit, let `register(backgroundTask:)` do so.
    ///
    /// - Returns: Whether nothing is left to do.
    @discardableResult
    public func refreshInBackground() async -> Bool { await BackgroundRefresh(session: self).run() }

    /// When a moment in the background would next be of use; `nil` if none is.
    public var nextBackgroundRefresh: Date? { BackgroundRefresh(session: self).nextDate }
}
