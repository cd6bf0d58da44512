// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// The record in a ``SessionStore``: opaque, replaced as a whole, and masked when printed.
public struct SessionRecord: Sendable, Equatable {
    /// The version of the record's format.
    ///
    /// A new member does not change it, because members are optional and older code ignores unknown ones.
    static let version = 1
    static let maximumPendingLogouts = 32

    private var content: Content

    private struct Content: Codable, Equatable {
        var version = SessionRecord.version
        var origin: String
        var session: StoredSession?
        var pendingLogouts: [PendingLogout] = []
        var ended: SignOutReason?
        /// `true` once an import was accepted or rejected; absent before.
        var isImported: Bool?
        /// `true` while the imported session is the last one and lacks the refresh token that its location names.
        var lacksImportedRefreshToken: Bool?
        /// The time at which the user chose this account among several, in seconds since 1970.
        var chosenAt: Double?

        /// Whether the record has no content that must be stored.
        var isEmpty: Bool { session == nil && pendingLogouts.isEmpty && isImported == nil }
    }

    init(origin: String, session: StoredSession? = nil, ended: SignOutReason? = nil) {
        content = Content(origin: origin, session: session, ended: ended)
    }

    /// Decodes bytes that ``encoded()`` returned.
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

    /// Returns the bytes to store.
    ///
    /// They contain secrets.
    public func encoded() throws(SessionStoreError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(content) } catch {
            throw SessionStoreError(.failed, "the session record cannot be encoded")
        }
    }

    /// The server that the session belongs to.
    var origin: String { content.origin }
    /// The session; `nil` if the user is signed out.
    var session: StoredSession? { content.session }
    /// The sign-outs that are not yet delivered to the server.
    var pendingLogouts: [PendingLogout] { content.pendingLogouts }
    /// The reason that the session has ended.
    var ended: SignOutReason? { content.ended }

    /// Whether the tokens of an older version of the app were imported or rejected.
    ///
    /// They are never read again, because that would undo a sign-out; ``lacksImportedRefreshToken`` is the exception.
    var isImported: Bool { content.isImported ?? false }

    /// Whether a further import may bring the refresh token that an import did not find.
    ///
    /// It may do so until a sign-in, a sign-out by the user, or an end that the server reports.
    var lacksImportedRefreshToken: Bool { content.lacksImportedRefreshToken ?? false }

    /// Returns the record with ``isImported`` set.
    func imported(lackingRefreshToken: Bool = false) -> SessionRecord {
        var record = self
        record.content.isImported = true
        record.content.lacksImportedRefreshToken = lackingRefreshToken ? true : nil
        return record
    }

    /// The time at which the user chose this account among several.
    var chosenAt: Double? { content.chosenAt }

    /// Returns the record of an account that the user chose.
    func chosen(at time: Double) -> SessionRecord {
        var record = self
        record.content.chosenAt = time
        return record
    }

    /// Returns the record after a sign-out by the user.
    ///
    /// - Returns: `nil` if nothing has to be stored.
    func nilIfNothingPending() -> SessionRecord? { content.isEmpty && ended == .requested ? nil : self }

    /// Returns the record with a newer generation of the session.
    func with(_ session: StoredSession) -> SessionRecord {
        var record = self
        record.content.session = session
        // Another process may have signed in again, with the same session, since this one read the record.
        if let stored = content.session, stored.id == session.id { record.content.session?.signedIn = stored.signedIn }
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
        record.content.lacksImportedRefreshToken = nil
        record.removePendingLogoutsOfCurrentSession()
        return record
    }

    /// Returns the record after a sign-in that returned its session again, with tokens that are not newer.
    ///
    /// A sign-out before it that another process could not store yet must not end the session.
    func signingInAgain(_ session: StoredSession) -> SessionRecord {
        var record = self
        record.content.session?.signedIn = session.signedIn
        return record
    }

    /// Returns the record after the session's end; with credentials, the sign-out is pending.
    func ending(_ reason: SignOutReason, keeping credentials: LogoutCredentials) -> SessionRecord {
        var record = self
        record.content.session = nil
        if let session = content.session { record.addPendingLogout(session, at: content.origin, credentials) }
        record.content.ended = reason
        record.content.chosenAt = nil
        // A session without a refresh token ends so when its access token expires.
        if reason != .unrenewable { record.content.lacksImportedRefreshToken = nil }
        return record
    }

    /// Returns the record with an additional pending sign-out of a session.
    func addingPendingLogout(_ session: StoredSession, at origin: String, _ credentials: LogoutCredentials)
        -> SessionRecord
    {
        PendingLogout(origin: origin, session: session, credentials: credentials).map(addingPendingLogout) ?? self
    }

    /// Returns the record with an additional pending sign-out.
    func addingPendingLogout(_ logout: PendingLogout) -> SessionRecord {
        var record = self
        record.addPendingLogout(logout)
        record.removePendingLogoutsOfCurrentSession()
        return record
    }

    /// Returns the record after the delivery of a sign-out.
    ///
    /// - Returns: `nil` if nothing has to be stored.
    func delivered(_ logout: PendingLogout) -> SessionRecord? {
        var record = self
        record.content.pendingLogouts.removeAll { $0 == logout }
        // The server's reason for the end is kept for the user; a sign-out by the user needs no reason.
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

    /// Removes pending sign-outs whose delivery would end the session in use.
    private mutating func removePendingLogoutsOfCurrentSession() {
        guard let session = content.session else { return }
        content.pendingLogouts.removeAll { $0.origin == content.origin && $0.wouldEnd(session) }
    }
}

extension SessionRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String { "SessionRecord(•••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
