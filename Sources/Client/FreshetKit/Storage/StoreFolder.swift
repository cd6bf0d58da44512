// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The folder of one or more file stores, and this process's knowledge of it.
///
/// If the folder disappears, its volume was unmounted or it was deleted, but not by a sign-out, which keeps it. Its
/// sessions are then unavailable, and only an explicit sign-in creates the folder again.
final class StoreFolder: Sendable {
    private struct CachedState {
        /// Whether the folder was open before.
        var isKnown = false
        /// The volume on which this process last found a session.
        var volume: UInt64?
        var hasCurrentNames = false
    }

    /// The condition for creating a missing folder.
    enum Creation {
        case never
        /// Create it if it never existed.
        case first
        /// Create it even if it existed before, as long as its parent exists.
        case again
    }

    let path: String
    let environment: FileEnvironment
    private let known = Locked(CachedState())

    init(_ directory: URL, environment: FileEnvironment = .current) {
        path = directory.standardizedFileURL.path
        self.environment = environment
    }

    /// Opens the folder.
    ///
    /// - Returns: `nil` if it does not exist, never existed, and is not to be created.
    /// - Throws: ``SessionStoreError`` of the kind `missing` if it existed before.
    func open(creating creation: Creation = .never) throws(SessionStoreError) -> SecureFolder? {
        let wasThere = known.withLock { $0.isKnown }
        var found = try SecureFolder.open(path, creating: creation == .first && !wasThere, environment: environment)
        if found == nil, wasThere {
            guard creation == .again else { throw .missingFolder }
            found = try SecureFolder.open(path, creating: true, parents: false, environment: environment)
        } else if found == nil, creation == .again {
            found = try SecureFolder.open(path, creating: true, environment: environment)
        }
        guard let folder = found.take() else { return nil }
        try migrateNames(in: folder)
        known.withLock { $0.isKnown = true }
        return folder
    }

    /// Renames the files of earlier versions, once and before any session is read.
    ///
    /// Otherwise, on a volume that ignores case, the name of a user's file could find an older file of another user.
    private func migrateNames(in folder: borrowing SecureFolder) throws(SessionStoreError) {
        guard !known.withLock({ $0.hasCurrentNames }) else { return }
        try folder.migrateNames(suffixes: [".session", ".lock", ".refresh"])
        known.withLock { $0.hasCurrentNames = true }
    }

    /// Records the volume of the folder, because a session was found in it.
    func recordSessionVolume(in folder: borrowing SecureFolder) {
        let volume = folder.volume
        known.withLock { $0.volume = volume }
    }

    /// Verifies that a session that was not found was not merely hidden by an unmounted volume.
    ///
    /// - Throws: ``SessionStoreError`` of the kind `missing` if this is the mount point of the volume with the
    ///   sessions.
    func verifyAbsence(in folder: borrowing SecureFolder) throws(SessionStoreError) {
        let volume = folder.volume
        let seen = known.withLock { $0.volume }
        guard seen == nil || seen == volume else { throw .missingFolder }
    }
}

extension SessionStoreError {
    package static let missingFolder = SessionStoreError(
        .missing,
        "the folder no longer exists: it was removed, or its volume was unmounted"
    )
}
