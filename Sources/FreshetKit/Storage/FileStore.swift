// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Keeps the session in one file that only its owner can read, safe for several processes at once.
///
/// The folder is made with mode 0700 when something is first stored, the file with 0600. Symbolic links, foreign owners
/// and folders that others may write to are refused.
public final class FileStore: SessionStore {
    private let folder: String
    private let file: String

    /// A store in `directory`; several names are several sessions.
    public init(directory: URL, name: String) {
        folder = directory.standardizedFileURL.path
        // Letters, digits, dot, hyphen and underscore stay; anything else, and a leading dot, cannot name another file.
        file = Self.fileName(for: name)
    }

    private static func fileName(for name: String) -> String {
        guard !name.isEmpty else { return "%" }
        return name.utf8.enumerated().reduce(into: "") { text, next in
            let (index, byte) = next
            let scalar = Character(Unicode.Scalar(byte))
            let isPlain = byte < 128 && (scalar.isLetter || scalar.isNumber || "-_.".contains(scalar))
            if isPlain && !(index == 0 && scalar == ".") {
                text.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }

    /// The file's path.
    public var name: String { "file \(folder)/\(file).session" }

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
    public func overwrite(with record: SessionRecord?) throws(StoreUnavailable) {
        guard let folder = try SecureFolder.open(folder, creating: record != nil) else { return }
        let lock = try folder.lock("\(file).lock")
        defer { lock.release() }
        try write(record, in: folder)
    }

    private func read(in folder: borrowing SecureFolder) throws(StoreUnavailable) -> SessionRecord? {
        guard let bytes = try folder.read("\(file).session") else { return nil }
        return try SessionRecord(decoding: bytes)
    }

    private func write(_ record: SessionRecord?, in folder: borrowing SecureFolder) throws(StoreUnavailable) {
        guard let record else { return try folder.remove("\(file).session") }
        try folder.write(try record.encoded(), to: "\(file).session", by: ".\(file).new")
    }
}
