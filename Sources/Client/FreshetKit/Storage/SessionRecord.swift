// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// The record in a ``SessionStore``: opaque, replaced as a whole, and masked when printed.
public struct SessionRecord: Sendable, Equatable {
    /// The oldest version that reads what this one writes.
    ///
    /// A new member does not change it: it is optional, and versions that do not know it pass over it.
    static let version = 1
    static let maximumPendingLogouts = 32

    private var content: Content

    private struct Content: Codable, Equatable {
        var version = SessionRecord.version
        var origin: String
        var session: StoredSession?
        var pendingLogouts: [PendingLogout] = []
        var ended: SignOutReason?
        /// `true`, or absent as in records of a version that knew no imports.
        var isImported: Bool?
        /// When the user chose this account among several, in seconds since 1970.
        var chosenAt: Double?

        /// Whether there is nothing in it to remember.
        var isEmpty: Bool { session == nil && pendingLogouts.isEmpty && isImported == nil }
    }

    init(origin: String, session: StoredSession? = nil, ended: SignOutReason? = nil) {
        content = Content(origin: origin, session: session, ended: ended)
    }

    /// Reads the bytes that ``encoded()`` gave.
    public init(decoding bytes: Data) throws(SessionStoreError) {
        struct Version: Decodable { var version: Int }
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: bytes).version else {
            throw SessionStoreError(.damaged, "the stored data is not a session record")
        }
        guard version <= Self.version else {
            throw SessionStoreError(.newerVersion, "a newer version of the app wrote the session record (\(version))")
        }
        guard version == Self.version else {
            throw SessionStoreError(.damaged, "the session record has the unknown version \(version)")
        }
        guard let content = try? decoder.decode(Content.self, from: bytes) else {
            throw SessionStoreError(.damaged, "the session record is incomplete")
        }
        self.content = content
    }

    /// The bytes to keep.
    ///
    /// They hold secrets.
    public func encoded() throws(SessionStoreError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(content) } catch {
            throw SessionStoreError(.failed, "the session record cannot be encoded")
        }
    }

    /// The server that the session belongs to.
    var origin: String { content.origin }
    /// The session that is signed in.
    var session: StoredSession? { content.session }
    /// Sign-outs that the server has yet to hear of.
    var pendingLogouts: [PendingLogout] { content.pendingLogouts }
    /// The reason why the session is signed out.
    var ended: SignOutReason? { content.ended }

    /// Whether what an older version of the app kept was looked at; it never is again, or a sign-out would be undone.
    var isImported: Bool { content.isImported ?? false }

    /// The same record, with what an older version kept done with.
    func imported() -> SessionRecord {
        var record = self
        record.content.isImported = true
        return record
    }

    /// When the user chose this account among several.
    var chosenAt: Double? { content.chosenAt }

    /// The same record of an account that the user chose.
    func chosen(at time: Double) -> SessionRecord {
        var record = self
        record.content.chosenAt = time
        return record
    }

    /// The user signed out: nothing is kept that nobody needs.
    ///
    /// - Returns: `nil` if nothing is left to keep.
    func nilIfNothingPending() -> SessionRecord? { content.isEmpty && ended == .requested ? nil : self }

    /// The same record with the session moved forward.
    func with(_ session: StoredSession) -> SessionRecord {
        var record = self
        record.content.session = session
        record.removePendingLogoutsOfCurrentSession()
        return record
    }

    /// Returns the record after a sign-in; a session that it replaces becomes a pending sign-out.
    func signingIn(_ session: StoredSession, origin: String, keeping credentials: LogoutCredentials) -> SessionRecord {
        var record = self
        if let old = content.session { record.addPendingLogout(old, at: content.origin, credentials) }
        record.content.origin = origin
        record.content.session = session
        record.content.ended = nil
        record.removePendingLogoutsOfCurrentSession()
        return record
    }

    /// The session ended; with a credentials to show, the server has yet to hear of it.
    func ending(_ reason: SignOutReason, keeping credentials: LogoutCredentials) -> SessionRecord {
        var record = self
        record.content.session = nil
        if let session = content.session { record.addPendingLogout(session, at: content.origin, credentials) }
        record.content.ended = reason
        record.content.chosenAt = nil
        return record
    }

    /// The same record with one more sign-out that the server has yet to hear of.
    func addingPendingLogout(_ session: StoredSession, at origin: String, _ credentials: LogoutCredentials)
        -> SessionRecord
    {
        PendingLogout(origin: origin, session: session, credentials: credentials).map(addingPendingLogout) ?? self
    }

    /// The same record with one more sign-out that the server has yet to hear of.
    func addingPendingLogout(_ logout: PendingLogout) -> SessionRecord {
        var record = self
        record.addPendingLogout(logout)
        record.removePendingLogoutsOfCurrentSession()
        return record
    }

    /// The server knows of this sign-out now.
    ///
    /// - Returns: `nil` if nothing is left to keep.
    func delivered(_ logout: PendingLogout) -> SessionRecord? {
        var record = self
        record.content.pendingLogouts.removeAll { $0 == logout }
        // Why the server ended a session is kept for the user; that the user wanted it is no news.
        return record.content.isEmpty && (record.ended == nil || record.ended == .requested) ? nil : record
    }

    private mutating func addPendingLogout(
        _ session: StoredSession,
        at origin: String,
        _ credentials: LogoutCredentials
    ) {
        if let logout = PendingLogout(origin: origin, session: session, credentials: credentials) {
            addPendingLogout(logout)
        }
    }

    private mutating func addPendingLogout(_ logout: PendingLogout) {
        content.pendingLogouts.removeAll { $0 == logout }
        content.pendingLogouts.append(logout)
        content.pendingLogouts = content.pendingLogouts.suffix(Self.maximumPendingLogouts)
    }

    /// Forgets pending sign-outs whose delivery would end the session in use.
    private mutating func removePendingLogoutsOfCurrentSession() {
        guard let session = content.session else { return }
        content.pendingLogouts.removeAll { $0.origin == content.origin && $0.wouldEnd(session) }
    }
}

extension SessionRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "SessionRecord(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
