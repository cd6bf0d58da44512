// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Stores several sessions in one folder, each in a ``FileStore``.
public struct FileStores: SessionStores {
    private let folder: StoreFolder

    /// Creates the stores of the sessions in `directory`.
    ///
    /// Names that differ only in case are different sessions on every volume.
    public init(directory: URL) { folder = StoreFolder(directory) }

    /// The folder's path.
    public var name: String { "folder \(folder.path)" }

    /// Returns the names of the sessions with a file in the folder.
    public func names() throws(SessionStoreError) -> [String] {
        guard let open = try folder.open() else { return [] }
        let names = try open.names().compactMap { file in
            file.hasSuffix(".session") ? FileName.unescaped(String(file.dropLast(".session".count))) : nil
        }
        if names.isEmpty { try folder.verifyAbsence(in: open) } else { folder.recordSessionVolume(in: open) }
        return names.sorted()
    }

    /// Returns the store in the file of this name.
    public func store(named name: String) -> any SessionStore { FileStore(in: folder, name: name) }
}
