// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The folder of one or more file stores, and what this process knows about it.
///
/// A folder that was there and is not any more was unmounted, or removed by something other than a sign-out, which leaves
/// it where it is. Its sessions are unavailable then, and nothing but an explicit sign-in makes the folder again.
final class StoreFolder: Sendable {
    private struct CachedState {
        /// Whether the folder was ever open.
        var isKnown = false
        /// The volume on which a session was last seen here.
        var volume: UInt64?
        var hasCurrentNames = false
    }

    /// Whether the folder is to be made if it is not there.
    enum Creation {
        case never
        /// If it never was.
        case first
        /// Also if it was there before, as long as the folder around it is.
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
    /// - Returns: `nil` if there is none, there never was, and none is to be made.
    /// - Throws: ``SessionStoreError`` of the kind `missing` if it was there before.
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

    /// Renames the files of earlier versions, once.
    ///
    /// Later it would be wrong: the names of two users may differ in case alone.
    private func migrateNames(in folder: borrowing SecureFolder) throws(SessionStoreError) {
        guard !known.withLock({ $0.hasCurrentNames }) else { return }
        try folder.migrateNames(suffixes: [".session", ".lock", ".refresh"])
        known.withLock { $0.hasCurrentNames = true }
    }

    /// A session was seen in the folder.
    func recordSessionVolume(in folder: borrowing SecureFolder) {
        let volume = folder.volume
        known.withLock { $0.volume = volume }
    }

    /// Makes sure that a session that is not in the folder is in fact not there.
    ///
    /// - Throws: ``SessionStoreError`` of the kind `missing` if this is the folder on which the volume with the sessions
    ///   was mounted.
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
