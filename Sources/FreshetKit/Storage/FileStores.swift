// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Keeps several sessions in one folder, each in a ``FileStore``.
public struct FileStores: SessionStores {
    private let directory: URL

    /// The sessions in `directory`.
    public init(directory: URL) { self.directory = directory }

    /// The folder's path.
    public var name: String { "folder \(directory.standardizedFileURL.path)" }

    /// The names of the sessions whose files lie in the folder.
    public func names() throws(StoreUnavailable) -> [String] {
        guard let folder = try SecureFolder.open(directory.standardizedFileURL.path, creating: false) else { return [] }
        return try folder.names().compactMap { file in
            file.hasSuffix(".session") ? FileName.unescaped(String(file.dropLast(".session".count))) : nil
        }.sorted()
    }

    /// The store in the file of this name.
    public func store(named name: String) -> any SessionStore { FileStore(directory: directory, name: name) }
}
