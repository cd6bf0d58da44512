// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import Testing

    @testable import FreshetKit

    @Suite struct `Lock folder` {
        let home = URL(filePath: "/home/ann", directoryHint: .isDirectory)

        private func path(_ environment: [String: String]) -> String {
            LockFolder.standard(environment: environment, home: home).path
        }

        /// Where this machine's logins have theirs, if any.
        private var ofLogin: String? {
            let folder = "/run/user/\(geteuid())"
            return FileManager.default.fileExists(atPath: folder) ? folder + "/freshet" : nil
        }

        @Test func `it lies in the folder that the login made`() throws {
            let folder = try Folder()
            #expect(path(["XDG_RUNTIME_DIR": folder.url.path]) == folder.url.path + "/freshet")
        }

        @Test(arguments: ["", "relative", "/nonexistent", "/etc/hosts"])
        func `without such a folder all processes still agree on one`(folder: String) {
            #expect(path(["XDG_RUNTIME_DIR": folder]) == path([:]))
            #expect(path([:]) == ofLogin ?? "/home/ann/.local/state/freshet/locks")
            #expect(path(["XDG_STATE_HOME": "/state"]) == ofLogin ?? "/state/freshet/locks")
        }

        @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
        func `another user's folder is not taken`() throws {
            let folder = try Folder()
            #expect(chown(folder.url.path, 65_534, 65_534) == 0)
            #expect(path(["XDG_RUNTIME_DIR": folder.url.path]) == path([:]))
        }

        @Test func `no two stores share a lock`() {
            let locks = [("a", "b/c"), ("a/b", "c"), ("a", "b"), ("b", "a")].flatMap { application, name in
                ["kernel-keyring", "secret-service"].map {
                    StoreLock($0, application: application, name: name, directory: home).processLock
                }
            }
            for (index, lock) in locks.enumerated() { #expect(locks.firstIndex(of: lock) == index) }
        }
    }
#endif
