// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Stores the session in a file that only its owner can read.
///
/// Safe for concurrent use by several processes.
///
/// The first write creates the folder with mode 0700 and the file with 0600; on Apple's systems both are excluded from
/// backups. Symbolic links, files of other owners and folders that other users may write to are refused. If the folder
/// disappears, for example because its volume was unmounted, the store is unavailable
/// (``SessionStoreError/Kind/missing``); an explicit sign-in creates the folder again.
///
/// Apple TV does not keep an app's files: use ``KeychainStore`` there.
public final class FileStore: SessionStore {
    private let folder: StoreFolder
    private let file: String
    /// The last record that this process made durable.
    private let synced = Locked<SessionRecord?>(nil)

    /// Creates a store in `directory`; each name is a separate session.
    ///
    /// Names that differ only in case are different sessions on every volume.
    public convenience init(directory: URL, name: String) {
        self.init(in: StoreFolder(directory), name: name)
    }

    package convenience init(directory: URL, name: String, environment: FileEnvironment) {
        self.init(in: StoreFolder(directory, environment: environment), name: name)
    }

    init(in folder: StoreFolder, name: String) {
        self.folder = folder
        file = FileName.escaped(name)
    }

    /// The file's path.
    public var name: String { "file \(folder.path)/\(file).session" }

    /// A lock on a file next to the session's.
    public var processLock: ProcessLock? {
        ProcessLock(folder: folder.path, file: "\(file).refresh", createsFolder: false, environment: folder.environment)
    }

    /// The stored record; `nil` only if there is no such file.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        guard let open = try folder.open() else { return nil }
        return try read(in: open)
    }

    /// Stores `record` if the store still holds `expected`, atomically across processes.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        let creation: StoreFolder.Creation = expected == nil && record != nil ? .first : .never
        guard let open = try folder.open(creating: creation) else { return expected == nil }
        let lock = try open.lock("\(file).lock")
        defer { lock.release() }
        guard try read(in: open) == expected else { return false }
        try write(record, in: open)
        return true
    }

    /// Replaces the stored record, whether or not it can be read.
    ///
    /// A file that cannot be read is kept until a sign-out, with `.damaged` appended to its name, for a developer to
    /// inspect. It may contain tokens, like the session's file.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        guard let open = try folder.open(creating: record == nil ? .never : .again) else { return }
        let lock = try open.lock("\(file).lock")
        defer { lock.release() }
        if record?.session != nil, (try? read(in: open)) == nil { open.rename("\(file).session", to: damaged) }
        if record == nil {
            if open.size(of: "\(file).session") == nil {
                // A session on a volume that is only unmounted would return after the sign-out.
                try folder.verifyAbsence(in: open)
            } else {
                // The volume may have another number since it was mounted again.
                folder.recordSessionVolume(in: open)
            }
        }
        try write(record, in: open)
    }

    private var damaged: String { "\(file).session.damaged" }

    private func read(in open: borrowing SecureFolder) throws(SessionStoreError) -> SessionRecord? {
        guard let bytes = try open.read("\(file).session") else {
            try folder.verifyAbsence(in: open)
            return nil
        }
        folder.recordSessionVolume(in: open)
        return try SessionRecord(decoding: bytes)
    }

    private func write(_ record: SessionRecord?, in open: borrowing SecureFolder) throws(SessionStoreError) {
        // A sign-out deletes all data of the session.
        if record?.session == nil { try open.remove(damaged) }
        guard let record else { return try open.remove("\(file).session") }
        try open.write(try record.encoded(), to: "\(file).session", by: ".\(file).new")
        synced.withLock { $0 = record }
        folder.recordSessionVolume(in: open)
    }
}

extension FileStore: SyncableStore {
    package func sync(_ record: SessionRecord) {
        guard synced.withLock({ $0 != record }) else { return }
        do throws(SessionStoreError) {
            guard let open = try folder.open() else { return }
            // The content of a file is durable before other processes see its name.
            try open.syncDirectory()
            synced.withLock { $0 = record }
        } catch { return }
    }
}
