// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A lock that lets one process refresh at a time, among all that share a session.
///
/// It is an advisory lock on a file. The system releases it when its owner exits or crashes. With Freshet's own
/// protocol it only saves requests; for a backend that accepts each refresh token only once, it prevents two processes
/// from presenting the same one. On Apple's systems, the file can be opened after the first unlock of the device, and
/// the lock is held only while the system has agreed not to suspend the process.
public struct ProcessLock: Sendable, Equatable {
    let folder: String
    let file: String
    private let createsFolder: Bool
    private let environment: FileEnvironment

    /// Creates a lock on `file` in `directory`.
    ///
    /// On Apple's systems, use a folder in the app group's container, which the app's extensions share.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - file: The file's name.
    ///   - createsFolder: Whether to create a missing folder, with mode 0700. Use `false` if the folder also contains
    ///     the sessions: a missing folder may be on a volume that was unmounted.
    public init(directory: URL, file: String, createsFolder: Bool = true) {
        let folder = directory.standardizedFileURL.path
        self.init(folder: folder, file: file, createsFolder: createsFolder, environment: .current)
    }

    init(folder: String, file: String, createsFolder: Bool, environment: FileEnvironment) {
        self.folder = folder
        self.file = file
        self.createsFolder = createsFolder
        self.environment = environment
    }

    /// Tries to acquire the lock without waiting.
    ///
    /// - Returns: `nil` if another process, or another session of this process, holds it.
    func attempt() throws(SessionStoreError) -> FileLock? {
        guard let folder = try SecureFolder.open(folder, creating: createsFolder, environment: environment) else {
            throw .missingFolder
        }
        return try folder.tryLock(file)
    }

    /// The number of the last owner that called ``FileLock/recordOwner()``; `nil` if there is none, or if it cannot be
    /// read.
    func lastOwner() -> UInt64? {
        guard let folder = try? SecureFolder.open(folder, creating: false, environment: environment),
            let content = try? folder.read(file), content.count == MemoryLayout<UInt64>.size
        else { return nil }
        return content.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    /// Whether two locks use the same file.
    public static func == (one: ProcessLock, other: ProcessLock) -> Bool {
        one.folder == other.folder && one.file == other.file
    }
}
