// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import FreshetTesting
    import Testing

    @testable import FreshetKit

    /// With the kernel's keyring for real: each worker is in a session of its own, as after a login of its own, and the
    /// keys bear names that nobody else has.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .enabled(if: KernelKeyring.isPermitted, "the kernel's keyrings are not permitted here")
    )
    struct `Kernel keyring store` {
        let keyring: KernelKeyring

        init() throws { keyring = try KernelKeyring() }

        @Test func `the kernel keyring store satisfies the store contract`() async throws {
            let answer = try await keyring.worker().send("contract")
            #expect(answer == "kept", "\(answer)")
        }

        @Test func `a record that one login session stores is read and changed by another`() async throws {
            let one = try keyring.worker()
            #expect(try await one.send(["read", "replace - 1", "read"]) == ["absent", "true", "record 1"])
            let two = try keyring.worker()
            #expect(try await two.send(["read", "replace 2 3", "replace 1 2"]) == ["record 1", "false", "true"])
            #expect(try await one.send(["read", "names"]) == ["record 2", "names main"])
            #expect(
                try await keyring.worker().send(["replace 2 3", "overwrite -", "read"]) == ["true", "done", "absent"]
            )
            #expect(try await one.send(["read", "names"]) == ["absent", "names "])
        }

        /// Other tests of this user, and those that were killed, have keys in the user's keyring.
        @Test(.enabled(if: geteuid() == 0, "only root can become a user without keys"))
        func `the only key of a keyring is listed`() async throws {
            let locks = try Folder(), user = UInt32.random(in: 50_000..<60_000)
            #expect(chown(locks.url.path, user, user) == 0)
            let worker = try keyring.worker(locks: locks)
            #expect(try await worker.send("become \(user)") == "done")
            let answers = try await worker.send(["replace - 1", "names", "overwrite -", "names"])
            #expect(answers == ["true", "names main", "done", "names "])
        }

        @Test func `a revoked session keyring does not hide the record in the user's keyring`() async throws {
            #expect(try await keyring.worker().send("replace - 1") == "true")
            let orphan = try keyring.worker()
            #expect(try await orphan.send("revoke-session") == "done")
            #expect(try await orphan.send(["read", "replace 1 2", "read"]) == ["record 1", "true", "record 2"])
        }

        @Test(arguments: ["revoke", "expire"])
        func `a revoked or expired key is absent and is replaced by a new one`(end: String) async throws {
            let worker = try keyring.worker()
            #expect(try await worker.send(["replace - 1", "read", end]) == ["true", "record 1", "done"])
            #expect(try await worker.send(["read", "replace 1 2", "replace - 3"]) == ["absent", "false", "true"])
            #expect(try await keyring.worker().send("read") == "record 3")
        }

        @Test func `the name of a kernel keyring store includes its lifetime until the restart`() async throws {
            let name = try await keyring.worker().send("name")
            #expect(name == "kernel keyring, key \(keyring.application):main, until the system restarts")
        }

        @Test func `a record above the size limit of kernel keys is refused, and the old record stays`() async throws {
            let worker = try keyring.worker()
            #expect(try await worker.send("replace - 1") == "true")
            let answer = try await worker.send("large 40000")
            #expect(answer == "unavailable failed the session is too large for a kernel key: the limit is 32767 bytes")
            #expect(try await worker.send("read") == "record 1")
        }

        @Test(.enabled(if: geteuid() == 0, "the default quota of others is smaller"))
        func `a record that fills a kernel key is stored`() async throws {
            let empty = #"{"version":1,"origin":"https://.example","pendingLogouts":[]}"#
            let remaining = try 32_767 - SessionRecord(decoding: Data(empty.utf8)).encoded().count
            let answers = try await keyring.worker().send(["large \(remaining)", "large \(remaining + 1)"])
            #expect(answers.first == "done")
            #expect(answers.last?.hasPrefix("unavailable failed the session is too large") == true)
        }

        @Test(.enabled(if: geteuid() == 0, "only root can become somebody with a small share"))
        func `an exhausted key quota is reported, and the old record stays`() async throws {
            // Root's share is large; 20,000 bytes is what the kernel gives others by default.
            let locks = try Folder()
            #expect(chown(locks.url.path, KernelKeyring.nobody, KernelKeyring.nobody) == 0)
            let worker = try keyring.worker(locks: locks)
            #expect(try await worker.send("become \(KernelKeyring.nobody)") == "done")
            #expect(try await worker.send(["replace - 1", "read"]) == ["true", "record 1"])
            let answer = try await worker.send("large 30000")
            #expect(
                answer == "unavailable failed cannot store a kernel key: "
                    + "this user's share of the kernel's keyrings is used up (/proc/key-users)"
            )
            #expect(try await worker.send(["read", "overwrite -", "read"]) == ["record 1", "done", "absent"])
        }

        @Test func `a killed writer leaves a complete and replaceable record in the kernel keyring`() async throws {
            #expect(try await keyring.worker("crash").send("crashes") == "kept")
        }

        @Test func `a kernel keyring store whose lock another process holds refuses writes and permits reads`()
            async throws
        {
            let worker = try keyring.worker()
            #expect(try await worker.send("replace - 1") == "true")
            let lock = open(keyring.lock("main").path, O_RDWR)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            #expect(try await worker.send("replace 1 2") == "unavailable locked another process holds the lock")
            #expect(try await worker.send("read") == "record 1")
        }
    }

    @Suite struct `Kernel keyring's lock` {
        @Test func `kernel keyring stores with the same name share one refresh lock`() throws {
            let folder = try Folder()
            func lock(_ name: String) -> ProcessLock? {
                KernelKeyringStore(application: "a", name: name, lockDirectory: folder.url).processLock
            }
            let held = try #require(try lock("b")?.attempt())
            #expect(try lock("b")?.attempt() == nil)
            #expect(try lock("c")?.attempt() != nil)
            held.release()
        }
    }

    @Suite struct `Kernel keyring faults` {
        @Test(arguments: [
            (ENOSYS, SessionStoreError.Kind.failed), (EPERM, .denied), (EACCES, .denied), (EDQUOT, .failed),
            (ENOMEM, .failed),
        ])
        func `a kernel keyring error is reported with its kind and a reason`(code: Int32, kind: SessionStoreError.Kind)
        {
            let fault = UserKeyring.fault("find a kernel key", code)
            #expect(fault.kind == kind)
            #expect(fault.reason.count > 20)
        }
    }
#endif
