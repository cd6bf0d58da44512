// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import FreshetTesting
    import Testing

    @testable import FreshetKit

    /// Every system call of a replacement fails once with a full disk, once with a broken one, and is once the last.
    @Suite(
        .timeLimit(.minutes(5)),
        .enabled(if: TracedWorker.isPermitted, "strace is missing here, or may not trace")
    )
    struct `System faults` {
        @Test func `a failed system call leaves a usable file store with the old or the new record`() async throws {
            let folder = try Folder()
            let worker = ["file", folder.url.path, "main"]
            let store = FileStore(directory: folder.url, name: "main")
            try store.overwrite(with: SessionStoreContract.record(1))
            let calls = try await TracedWorker.calls(
                ["openat", "fstat", "newfstatat", "flock", "read", "unlinkat", "write", "fsync", "renameat", "close"],
                of: worker,
                "marked-replace 1 2"
            )
            // The calls that a record rests on are among them, or the trace was cut in the wrong place.
            for name in ["openat", "flock", "read", "write", "fsync", "renameat"] {
                #expect(calls.contains { $0.name == name }, "\(calls)")
            }
            #expect(calls.count { $0.name == "fsync" } >= 3, "the file, its folder, and the one above")
            for call in calls {
                for fault in ["error=ENOSPC", "error=EIO", "error=EDQUOT", "signal=KILL"] where call.suffers(fault) {
                    try store.overwrite(with: SessionStoreContract.record(1))
                    let answer = try await TracedWorker.answer(of: worker, to: "marked-replace 1 2", call, fault)
                    let reader = try Worker(worker)
                    let found = try await reader.send("read")
                    switch answer {
                    case "true": #expect(found == "record 2", "\(call) \(fault)")
                    case "":
                        // Pipes are read in pieces, so a read that is counted may be that of the command: the worker ends.
                        #expect(fault == "signal=KILL" || call.name == "read", "\(call) \(fault)")
                        #expect(["record 1", "record 2"].contains(found), "\(call) \(fault)")
                    default:
                        #expect(answer.hasPrefix("unavailable "), "\(call) \(fault): \(answer)")
                        #expect(["record 1", "record 2"].contains(found), "\(call) \(fault)")
                    }
                    #expect(
                        try await reader.send(["overwrite 3", "read"]) == ["done", "record 3"],
                        "\(call) \(fault)"
                    )
                    #expect(folder.names == ["main.lock", "main.session"], "nothing is left behind")
                }
            }
        }

        @Test func `a file store whose write or rename fails keeps the old record and reports an error`() async throws {
            let folder = try Folder()
            let worker = ["file", folder.url.path, "main"]
            let store = FileStore(directory: folder.url, name: "main")
            try store.overwrite(with: SessionStoreContract.record(1))
            let calls = try await TracedWorker.calls(["write", "renameat"], of: worker, "marked-replace 1 2")
            for call in calls {
                try store.overwrite(with: SessionStoreContract.record(1))
                let answer = try await TracedWorker.answer(of: worker, to: "marked-replace 1 2", call, "error=ENOSPC")
                #expect(answer.hasPrefix("unavailable failed "), "\(answer)")
                #expect(try store.read() == SessionStoreContract.record(1))
            }
            #expect(!calls.isEmpty)
        }

        @Test func `a folder that cannot be listed is unavailable, not empty`() async throws {
            let folder = try Folder()
            try FileStore(directory: folder.url, name: "main").overwrite(with: SessionStoreContract.record(1))
            let worker = try Worker(
                TracedWorker.failing("getdents64", "EIO") + [Worker.program.path, "file", folder.url.path, "main"]
            )
            for command in ["names", "read"] {
                let answer = try await worker.send(command)
                #expect(answer == "unavailable failed cannot list the folder: Input/output error", "\(command)")
            }
        }

        @Test(
            .enabled(if: KernelKeyring.isPermitted, "the kernel's keyrings are not permitted here"),
            arguments: [("EPERM", "denied"), ("ENOSYS", "failed")]
        )
        func `a forbidden kernel keyring call is reported as unavailable, not as an absent record`(
            error: String,
            kind: String
        ) async throws {
            let keyring = try KernelKeyring()
            #expect(try await keyring.worker().send("replace - 1") == "true")
            // The first call is the worker's own, which logs in anew.
            for name in ["keyctl", "add_key"] {
                let command = name == "keyctl" ? "read" : "replace 1 2"
                let answer = try await TracedWorker.answer(
                    of: keyring.arguments(),
                    to: command,
                    TracedWorker.Call(name: name, number: name == "keyctl" ? 2 : 1),
                    "error=\(error)"
                )
                #expect(answer.hasPrefix("unavailable \(kind) "), "\(answer)")
            }
            #expect(try await keyring.worker().send("read") == "record 1")
        }

        @Test(.enabled(if: KernelKeyring.isPermitted, "the kernel's keyrings are not permitted here"))
        func `a kernel keyring write fails if the kernel returns another key than the one stored`() async throws {
            let keyring = try KernelKeyring()
            // The worker's own call is the first, and the key is found by `add_key`.
            let read = TracedWorker.Call(name: "keyctl", number: 2)
            let answer = try await TracedWorker.answer(of: keyring.arguments(), to: "overwrite 1", read, "retval=0")
            #expect(answer == "unavailable failed the kernel returns another key than the one stored")
        }
    }

    extension TracedWorker.Call {
        /// A call that only lets go cannot fail in a way that anybody would look at, but a process can end there.
        fileprivate func suffers(_ fault: String) -> Bool { name != "close" || fault == "signal=KILL" }
    }
#endif
