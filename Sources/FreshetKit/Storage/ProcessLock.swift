// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Lets one process at a time refresh, among all that share a session.
///
/// It is a lock on a file, which the system opens when the process that holds it ends, however it ends. With Freshet's own
/// protocol it only saves requests; where a backend takes a refresh token once, it is what keeps two processes from
/// presenting the same one.
public struct ProcessLock: Sendable, Equatable {
    let folder: String
    let file: String

    /// A lock on `file` in `directory`, which is made with mode 0700 when it is first needed.
    ///
    /// On Apple's systems give a folder of the app group's container, so that the app's extensions find it, too.
    public init(directory: URL, file: String) {
        folder = directory.standardizedFileURL.path
        self.file = file
    }

    /// Takes the lock if nobody has it.
    ///
    /// - Returns: `nil` if another process, or another session of this one, refreshes now.
    func attempt() throws(StoreUnavailable) -> FileLock? {
        guard let folder = try SecureFolder.open(folder, creating: true) else { return nil }
        return try folder.attemptLock(file)
    }
}
