// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// A set of accounts, each with its own session.
///
/// A session object acts for its account only: switching changes the result of ``defaultSession()``, not operations in
/// progress. Create one directory per collection of stores.
public final class SessionDirectory: Sendable {
    /// Creates an account's session from its store.
    public typealias MakeSession = @Sendable (_ store: any SessionStore) throws(SessionError) -> AuthSession

    private let stores: any SessionStores
    private let makeSession: MakeSession
    private let content = Locked(Content())
    private let broadcaster = Broadcaster<AccountEvent>(bufferSize: 256)

    private struct Content {
        var sessions: [ExactText: AuthSession] = [:]
    }

    /// Creates a directory for the accounts in `stores`.
    ///
    /// - Parameters:
    ///   - stores: The stores of the sessions.
    ///   - makeSession: Restores a session from its store; the contract may differ between accounts.
    public init(stores: any SessionStores, makeSession: @escaping MakeSession) {
        self.stores = stores
        self.makeSession = makeSession
    }

    /// Returns the session of an account, whether or not a user is signed in.
    ///
    /// Returns the same object every time, so that all parts of the app share its refreshes.
    ///
    /// - Parameter name: The app's name for the account, such as the user's name at the backend.
    /// - Returns: The session, signed in or not.
    /// - Throws: The error of creating the session.
    public func session(named name: String) throws(SessionError) -> AuthSession {
        try content.withLock { content throws(SessionError) in
            if let session = content.sessions[ExactText(name)] { return session }
            let session = try makeSession(stores.store(named: name))
            content.sessions[ExactText(name)] = session
            forwardEvents(of: session, named: name)
            return session
        }
    }

    private func forwardEvents(of session: AuthSession, named name: String) {
        session.published.hub.addObserver { [broadcaster] event in
            broadcaster.send(AccountEvent(account: name, event: event))
        }
    }

    /// The accounts that are signed in, or whose session ended without a sign-out, sorted by name.
    public func accounts() throws(SessionError) -> [SessionAccount] {
        let entries = try entries()
        let chosen = Self.chosen(entries)
        return entries.enumerated().map { index, entry in
            SessionAccount(name: entry.name, status: entry.session.status, isDefault: index == chosen)
        }
    }

    // MARK: The default account

    /// Returns the session of the default account, or else of the first account by name.
    ///
    /// - Returns: `nil` without accounts.
    public func defaultSession() throws(SessionError) -> AuthSession? {
        let entries = try entries()
        return Self.chosen(entries).map { entries[$0].session }
    }

    /// Makes an account the default, also for later launches and other processes.
    ///
    /// - Throws: ``SessionError/signedOut(_:)`` if no user is signed in there, and
    ///   ``SessionError/storeUnavailable(_:)`` if the choice could not be stored.
    public func makeDefault(_ name: String) async throws(SessionError) {
        let latest = try entries().compactMap(\.chosenAt).max()
        try await session(named: name).driver.makeDefault(after: latest)
    }

    /// Signs an account out and removes it.
    ///
    /// Its session object is signed out from then on.
    ///
    /// - Throws: The errors of ``AuthSession/signOut()``.
    public func remove(_ name: String) async throws(SessionError) {
        let session = try session(named: name)
        try await session.signOut()
    }

    // MARK: Events

    /// The events of all accounts from now on; each access returns a new stream.
    ///
    /// Covers accounts whose session was requested by ``session(named:)`` or ``accounts()``.
    public var events: AsyncStream<AccountEvent> { broadcaster.stream() }

    private struct Entry {
        var name: String
        var session: AuthSession
        var chosenAt: Double?
    }

    private func entries() throws(SessionError) -> [Entry] {
        let names: [String]
        do throws(SessionStoreError) { names = try stores.names() } catch { throw .storeUnavailable(error) }
        var entries: [Entry] = []
        for name in names {
            let session = try session(named: name)
            let record = try? stores.store(named: name).read()
            switch session.state {
            // Another process has signed in; the session learns it from the store.
            case .signedOut(nil) where record?.session != nil:
                Task { await session.reload() }
                entries.append(Entry(name: name, session: session, chosenAt: record?.chosenAt))
            // The store contains only a sign-out that is not yet delivered to the server.
            case .signedOut(nil), .signedOut(.requested): continue
            default: entries.append(Entry(name: name, session: session, chosenAt: record?.chosenAt))
            }
        }
        return entries
    }

    /// Returns the index of the default account; `nil` without accounts.
    private static func chosen(_ entries: [Entry]) -> Int? {
        let chosen = entries.indices.filter { entries[$0].chosenAt != nil }
        return chosen.max { (entries[$0].chosenAt ?? 0) < (entries[$1].chosenAt ?? 0) } ?? entries.indices.first
    }
}
