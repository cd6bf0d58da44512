// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Keeps the session in one file that only its owner can read, safe for several processes at once.
///
/// The folder is made with mode 0700 when something is first stored, the file with 0600. Symbolic links, foreign owners
/// and folders that others may write to are refused. A folder that was there and is not any more, as on a volume that was
/// unmounted, is unavailable (``SessionStoreError/Kind/missing``); an explicit sign-in makes it again.
///
/// Apple TV keeps no files of an app: use ``KeychainStore`` there.
public final class FileStore: SessionStore {
    private let folder: StoreFolder
    private let file: String

    /// A store in `directory`; several names are several sessions.
    ///
    /// Names that differ in case alone are different sessions on every volume.
    public convenience init(directory: URL, name: String) {
        self.init(in: StoreFolder(directory), name: name)
    }

    init(in folder: StoreFolder, name: String) {
        self.folder = folder
        file = FileName.escaped(name)
    }

    /// The file's path.
    public var name: String { "file \(folder.path)/\(file).session" }

    /// A file beside the session's.
    public var processLock: ProcessLock? {
        ProcessLock(folder: folder.path, file: "\(file).refresh", createsFolder: false, environment: folder.environment)
    }

    /// The stored record; `nil` only if there is no such file.
    public func read() throws(SessionStoreError) -> SessionRecord? {
        guard let open = try folder.open() else { return nil }
        return try read(in: open)
    }

    /// Stores `record` if the store still holds `expected`, as one step for all processes.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        let creation: StoreFolder.Creation = expected == nil && record != nil ? .first : .never
        guard let open = try folder.open(creating: creation) else { return expected == nil }
        let lock = try open.lock("\(file).lock")
        defer { lock.release() }
        guard try read(in: open) == expected else { return false }
        try write(record, in: open)
        return true
    }

    /// Puts `record` in the place of whatever rests here, readable or not.
    ///
    /// A file that cannot be read is kept with `.damaged` behind its name, for a developer to look at, until a sign-out. It
    /// may hold tokens, as the session's own file does.
    public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        guard let open = try folder.open(creating: record == nil ? .never : .again) else { return }
        let lock = try open.lock("\(file).lock")
        defer { lock.release() }
        if record?.session != nil, (try? read(in: open)) == nil { open.rename("\(file).session", to: damaged) }
        // A session that only its volume hides would come back after the sign-out.
        if record == nil, open.size(of: "\(file).session") == nil { try folder.verifyAbsence(in: open) }
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
        // Nothing of a session stays after it was signed out.
        if record?.session == nil { try open.remove(damaged) }
        guard let record else { return try open.remove("\(file).session") }
        try open.write(try record.encoded(), to: "\(file).session", by: ".\(file).new")
        folder.recordSessionVolume(in: open)
    }
}
