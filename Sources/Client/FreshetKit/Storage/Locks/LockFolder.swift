// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Foundation

    /// The folder for the lock files of stores that are not folders.
    enum LockFolder {
        /// Returns the folder that all processes of the user share.
        ///
        /// `$XDG_RUNTIME_DIR` is not set in cron jobs and services, and after `sudo` it is another user's. The folder
        /// of a login of the user is used in these cases, if it exists.
        ///
        /// - Parameters:
        ///   - environment: The process's environment.
        ///   - logins: The parent of the folders of logins.
        ///   - home: The user's home folder.
        /// - Returns: The folder, which may not exist yet.
        static func standard(
            environment: [String: String] = ProcessInfo.processInfo.environment,
            logins: String = "/run/user",
            home: URL = FileManager.default.homeDirectoryForCurrentUser
        ) -> URL {
            for folder in [environment["XDG_RUNTIME_DIR"], "\(logins)/\(geteuid())"] {
                guard let folder, folder.hasPrefix("/"), isOwnedByCurrentUser(folder) else { continue }
                return URL(filePath: folder, directoryHint: .isDirectory).appending(path: "freshet")
            }
            let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let base =
                state.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? home.appending(path: ".local/state")
            return base.appending(path: "freshet/locks")
        }

        private static func isOwnedByCurrentUser(_ folder: String) -> Bool {
            var facts = stat()
            return stat(folder, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == geteuid()
        }
    }
#endif
