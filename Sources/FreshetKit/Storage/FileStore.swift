// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Keeps the session in one file that only its owner can read, safe for several processes at once.
///
/// The folder is made with mode 0700 when something is first stored, the file with 0600. Symbolic links, foreign owners
/// and folders that others may write to are refused.
public final class FileStore: SessionStore {
    private let directory: URL
    private let folder: String
    private let file: String

    /// A store in `directory`; several names are several sessions.
    public init(directory: URL, name: String) {
        self.directory = directory
        folder = directory.standardizedFileURL.path
        file = FileName.escaped(name)
    }

    /// The file's path.
    public var name: String { "file \(folder)/\(file).session" }

    /// A file beside the session's.
    public var processLock: ProcessLock? { ProcessLock(directory: directory, file: "\(file).refresh") }

    /// What rests here; `nil` only if there is no such file.
    public func read() throws(StoreUnavailable) -> SessionRecord? {
        guard let folder = try SecureFolder.open(folder, creating: false) else { return nil }
        return try read(in: folder)
    }

    /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
    public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(StoreUnavailable) -> Bool {
        guard let folder = try SecureFolder.open(folder, creating: record != nil) else { return expected == nil }
        let lock = try folder.lock("\(file).lock")
        defer { lock.release() }
        guard try read(in: folder) == expected else { return false }
        try write(record, in: folder)
        return true
    }

    /// Puts `record` in the place of whatever rests here, readable or not.
    ///
    /// A file that cannot be read is kept with `.damaged` behind its name, for a developer to look at, until a sign-out. It
    /// may hold tokens, as the session's own file does.
    public func overwrite(with record: SessionRecord?) throws(StoreUnavailable) {
        guard let folder = try SecureFolder.open(folder, creating: record != nil) else { return }
        let lock = try folder.lock("\(file).lock")
        defer { lock.release() }
        if record?.session != nil, (try? read(in: folder)) == nil { folder.rename("\(file).session", to: damaged) }
        try write(record, in: folder)
    }

    private var damaged: String { "\(file).session.damaged" }

    private func read(in folder: borrowing SecureFolder) throws(StoreUnavailable) -> SessionRecord? {
        guard let bytes = try folder.read("\(file).session") else { return nil }
        return try SessionRecord(decoding: bytes)
    }

    private func write(_ record: SessionRecord?, in folder: borrowing SecureFolder) throws(StoreUnavailable) {
        // Nothing of a session stays after it was signed out.
        if record?.session == nil { try folder.remove(damaged) }
        guard let record else { return try folder.remove("\(file).session") }
        try folder.write(try record.encoded(), to: "\(file).session", by: ".\(file).new")
    }
}
