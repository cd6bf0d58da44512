// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import Testing

    @testable import FreshetKit

    @Suite struct `Lock folder` {
        /// Holds everything that a test looks for, and nothing that it expects to be missing.
        let place: Folder
        let home: URL
        let logins: URL

        init() throws {
            place = try Folder()
            home = place.url.appending(path: "home")
            logins = place.url.appending(path: "logins")
        }

        private func path(_ environment: [String: String]) -> String {
            LockFolder.standard(environment: environment, logins: logins.path, home: home).path
        }

        /// Has this user log in.
        private func makeLogin() throws -> URL {
            let folder = logins.appending(path: "\(geteuid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return folder
        }

        @Test func `the lock folder is in XDG_RUNTIME_DIR if that folder exists`() throws {
            let folder = try Folder()
            #expect(path(["XDG_RUNTIME_DIR": folder.url.path]) == folder.url.path + "/freshet")
        }

        @Test func `without a valid XDG_RUNTIME_DIR, all processes use the same lock folder`() throws {
            let file = place.url.appending(path: "file")
            try Data().write(to: file)
            let missing = place.url.appending(path: "missing").path
            for isLoggedIn in [false, true] {
                let ofLogin = isLoggedIn ? try makeLogin().appending(path: "freshet").path : nil
                #expect(path([:]) == ofLogin ?? home.appending(path: ".local/state/freshet/locks").path)
                #expect(path(["XDG_STATE_HOME": "state"]) == path([:]))
                #expect(path(["XDG_STATE_HOME": "/state"]) == ofLogin ?? "/state/freshet/locks")
                for folder in ["", ".", "relative", missing, file.path] {
                    #expect(path(["XDG_RUNTIME_DIR": folder]) == path([:]), "\(folder)")
                }
            }
        }

        @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
        func `an XDG_RUNTIME_DIR of another user is not used as the lock folder`() throws {
            let folder = try Folder()
            #expect(chown(folder.url.path, 65_534, 65_534) == 0)
            #expect(path(["XDG_RUNTIME_DIR": folder.url.path]) == path([:]))
        }

        @Test func `a store's locks are in the given folder, which is created for the owner alone`() throws {
            let directory = place.url.appending(path: "new/locks")
            let lock = StoreWriteLock("kernel-keyring", application: "app", name: "b/c", directory: directory)
            #expect(lock.processLock == ProcessLock(directory: directory, file: "kernel-keyring.app:b%2Fc.refresh"))
            let held = try lock.acquire()
            #expect(held.isHeld)
            held.release()
            #expect(try place.mode("new/locks") == 0o700)
            #expect(try place.mode("new/locks/kernel-keyring.app:b%2Fc.lock") == 0o600)
        }

        @Test func `no two stores share a lock`() {
            let locks = [("a", "b/c"), ("a/b", "c"), ("a", "b"), ("b", "a")].flatMap { application, name in
                ["kernel-keyring", "secret-service"].map {
                    StoreWriteLock($0, application: application, name: name, directory: home).processLock
                }
            }
            for (index, lock) in locks.enumerated() { #expect(locks.firstIndex(of: lock) == index) }
        }
    }
#endif
