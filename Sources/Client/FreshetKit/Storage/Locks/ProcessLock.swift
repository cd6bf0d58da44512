// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Lets one process at a time refresh, among all that share a session.
///
/// It is an advisory lock on a file. The system releases it when its owner exits or crashes. With Freshet's own protocol it
/// only saves requests; where a backend takes a refresh token once, it keeps two processes from presenting the same one.
/// On Apple's systems the file can be opened from the first unlock of the device on, and the lock is held only while the
/// system has promised not to suspend the process.
public struct ProcessLock: Sendable, Equatable {
    let folder: String
    let file: String
    private let createsFolder: Bool
    private let environment: FileEnvironment

    /// A lock on `file` in `directory`.
    ///
    /// On Apple's systems give a folder of the app group's container, so that the app's extensions find it, too.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - file: The file's name.
    ///   - createsFolder: Whether the folder is made with mode 0700 when it is not there. Where the sessions lie in the same
    ///     folder, leave it to them: a folder that is missing may be on a volume that was unmounted.
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

    /// Takes the lock if no other process or session has it.
    ///
    /// - Returns: `nil` if another process, or another session of this one, refreshes now.
    func attempt() throws(SessionStoreError) -> FileLock? {
        guard let folder = try SecureFolder.open(folder, creating: createsFolder, environment: environment) else {
            throw .missingFolder
        }
        return try folder.tryLock(file)
    }

    /// Two values are equal if they mean the same file.
    public static func == (one: ProcessLock, other: ProcessLock) -> Bool {
        one.folder == other.folder && one.file == other.file
    }
}
