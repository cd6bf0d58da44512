// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Keeps several sessions in one folder, each in a ``FileStore``.
public struct FileStores: SessionStores {
    private let folder: StoreFolder

    /// The sessions in `directory`.
    ///
    /// Names that differ in case alone are different sessions on every volume.
    public init(directory: URL) { folder = StoreFolder(directory) }

    /// The folder's path.
    public var name: String { "folder \(folder.path)" }

    /// The names of the sessions whose files lie in the folder.
    public func names() throws(SessionStoreError) -> [String] {
        guard let open = try folder.open() else { return [] }
        let names = try open.names().compactMap { file in
            file.hasSuffix(".session") ? FileName.unescaped(String(file.dropLast(".session".count))) : nil
        }
        if names.isEmpty { try folder.verifyAbsence(in: open) } else { folder.recordSessionVolume(in: open) }
        return names.sorted()
    }

    /// The store in the file of this name.
    public func store(named name: String) -> any SessionStore { FileStore(in: folder, name: name) }
}
