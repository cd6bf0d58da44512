// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Several accounts, each with a session of its own.
///
/// Whoever has a session's object acts for that account alone: switching changes which one ``defaultSession()`` gives, and
/// nothing that is under way. Keep one directory for each place where sessions rest.
public final class SessionDirectory: Sendable {
    /// Makes the session of an account from the store in which it rests.
    public typealias MakeSession = @Sendable (_ store: any SessionStore) throws(SessionError) -> AuthSession

    private let stores: any SessionStores
    private let makeSession: MakeSession
    private let content = Locked(Content())
    private let broadcaster = Broadcaster<AccountEvent>(bufferSize: 256)

    private struct Content {
        var sessions: [String: AuthSession] = [:]
    }

    /// The accounts that rest in `stores`.
    ///
    /// - Parameters:
    ///   - stores: Where the sessions rest.
    ///   - makeSession: Makes a session that picks up what rests in a store: same contract, or another for each account.
    public init(stores: any SessionStores, makeSession: @escaping MakeSession) {
        self.stores = stores
        self.makeSession = makeSession
    }

    /// The session of an account, whether or not somebody is signed in there.
    ///
    /// It is the same object every time, so all of the app shares its refreshes.
    ///
    /// - Parameter name: Any text that the app keeps the account by; the user's name at the backend is a good one.
    /// - Returns: The session, to sign in with if need be.
    /// - Throws: What making a session throws.
    public func session(named name: String) throws(SessionError) -> AuthSession {
        try content.withLock { content throws(SessionError) in
            if let session = content.sessions[name] { return session }
            let session = try makeSession(stores.store(named: name))
            content.sessions[name] = session
            session.published.hub.addObserver { [broadcaster] event in
                broadcaster.send(AccountEvent(account: name, event: event))
            }
            return session
        }
    }

    /// The accounts that are signed in, or whose session ended without the user's wish, by name.
    ///
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the place where they rest gives no answer now.
    public func accounts() throws(SessionError) -> [SessionAccount] {
        let entries = try entries()
        let chosen = Self.chosen(entries)
        var accounts: [SessionAccount] = []
        for entry in entries {
            accounts.append(
                SessionAccount(name: entry.name, status: entry.session.status, isDefault: entry.name == chosen)
            )
        }
        return accounts
    }

    // MARK: The account to act for

    /// The account that was chosen last, or the first by name if none was; `nil` if there is none.
    ///
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the place where they rest gives no answer now.
    public func defaultSession() throws(SessionError) -> AuthSession? {
        let entries = try entries()
        let chosen = Self.chosen(entries)
        return entries.first { $0.name == chosen }?.session
    }

    /// Chooses the account to act for from now on, also by later launches and other processes.
    ///
    /// - Throws: ``SessionError/signedOut(_:)`` if nobody is signed in there, and
    ///   ``SessionError/storeUnavailable(_:)`` if the choice could not be stored.
    public func makeDefault(_ name: String) async throws(SessionError) {
        let latest = try entries().compactMap(\.chosenAt).max()
        try await session(named: name).driver.makeDefault(after: latest)
    }

    /// Signs an account out, and forgets it.
    ///
    /// Its session's object says from then on that nobody is signed in.
    ///
    /// - Throws: As ``AuthSession/signOut()``.
    public func remove(_ name: String) async throws(SessionError) {
        let session = try session(named: name)
        try await session.signOut()
    }

    // MARK: Events

    /// Everything that happens to any of the accounts from now on; each call gives a stream of its own.
    ///
    /// It tells of accounts whose session was asked for, by ``session(named:)`` or ``accounts()``.
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
            // Only a sign-out that the server has yet to hear of is left of it.
            case .signedOut(nil), .signedOut(.requested): continue
            default: entries.append(Entry(name: name, session: session, chosenAt: record?.chosenAt))
            }
        }
        return entries
    }

    private static func chosen(_ entries: [Entry]) -> String? {
        let latest = entries.filter { $0.chosenAt != nil }.max { ($0.chosenAt ?? 0) < ($1.chosenAt ?? 0) }
        return latest?.name ?? entries.first?.name
    }
}
