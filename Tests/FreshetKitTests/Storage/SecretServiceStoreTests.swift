// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation
    import FreshetTesting
    import Testing

    @testable import FreshetKit

    /// Whether `Scripts/test-stores` runs, which installs what these tests need.
    let testsRealStores = ProcessInfo.processInfo.environment["FRESHET_STORES"] == "1"

    /// With GNOME's keyring for real, on a bus of each test's own.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .enabled(if: testsRealStores, "Scripts/test-stores installs a keyring and runs them")
    )
    struct `Secret Service store` {
        let bus: PrivateDBus

        init() throws { bus = try PrivateDBus() }

        private func start() async throws {
            try await bus.startBus()
            try await bus.startKeyring()
        }

        private func expectLocked(_ worker: Worker, _ commands: [String]) async throws {
            for command in commands {
                let answer = try await worker.send(command)
                #expect(answer == "unavailable locked the Secret Service is locked", "\(command)")
            }
        }

        @Test func `a Secret Service store passes the store contract`() async throws {
            try await start()
            let answer = try await bus.worker().send("contract")
            #expect(answer == "kept", "\(answer)")
        }

        @Test func `processes share the records and names of a Secret Service store`() async throws {
            try await start()
            let (one, two) = (try bus.worker("ann@example.com"), try bus.worker("b"))
            #expect(try await one.send(["read", "replace - 1", "read"]) == ["absent", "true", "record 1"])
            #expect(try await two.send(["read", "replace - 7", "read"]) == ["absent", "true", "record 7"])
            let three = try bus.worker("ann@example.com")
            #expect(try await three.send(["replace 2 3", "replace 1 2", "read"]) == ["false", "true", "record 2"])
            #expect(try await one.send(["read", "names"]) == ["record 2", "names ann@example.com,b"])
            #expect(try await one.send("name") == "Secret Service, item \"Freshet session ann@example.com\"")
            #expect(try await one.send(["overwrite -", "read", "names"]) == ["done", "absent", "names b"])
        }

        @Test func `a locked collection is unavailable, and its items are read after it is unlocked`()
            async throws
        {
            try await start()
            let worker = try bus.worker()
            #expect(try await worker.send("replace - 1") == "true")
            try await bus.lock()
            try await expectLocked(worker, ["read", "replace 1 2", "overwrite 2", "overwrite -", "names"])
            // A restart: the same process goes on with a service that knows nothing of its conversation.
            try await bus.stopKeyring()
            try await bus.startKeyring()
            #expect(try await worker.send(["read", "replace 1 2", "read"]) == ["record 1", "true", "record 2"])
        }

        @Test func `a collection that was not unlocked since the login is unavailable, with or without the item`()
            async throws
        {
            try await start()
            #expect(try await bus.worker().send("replace - 1") == "true")
            try await bus.stopKeyring()
            try await bus.startKeyring(isUnlocked: false)
            for name in ["main", "other"] {
                let answer = try await bus.worker(name).send("read")
                #expect(answer.hasPrefix("unavailable locked "), "\(answer)")
            }
        }

        @Test func `a Secret Service without a default collection is unavailable`() async throws {
            try await bus.startBus()
            try await bus.startKeyring(isUnlocked: false)
            let worker = try bus.worker()
            for command in ["read", "replace - 1", "overwrite -"] {
                let answer = try await worker.send(command)
                #expect(answer == "unavailable locked the Secret Service has no default collection")
            }
        }

        @Test func `an item in a locked collection is unavailable while the default one is open`() async throws {
            try await start()
            let worker = try bus.worker()
            #expect(try await worker.send("replace - 1") == "true")
            try await bus.makeDefault("session")
            try await bus.lock()
            try await expectLocked(worker, ["read", "replace 1 2", "overwrite 2", "overwrite -"])
        }

        @Test func `an item in an open collection is unavailable while the default one is locked`() async throws {
            try await start()
            let worker = try bus.worker()
            try await bus.makeDefault("session")
            #expect(try await worker.send("replace - 1") == "true")
            try await bus.makeDefault("login")
            try await bus.lock()
            try await expectLocked(worker, ["read", "overwrite 2", "overwrite -", "names"])
        }

        @Test func `the store is unavailable until both the bus and the Secret Service have started`() async throws {
            let early = try bus.worker()
            #expect(try await early.send("read").hasPrefix("unavailable locked the Secret Service cannot be used: "))
            try await bus.startBus()
            #expect(try await early.send("read").hasPrefix("unavailable locked the Secret Service cannot be used: "))
            try await bus.startKeyring()
            #expect(try await early.send(["read", "replace - 1"]) == ["absent", "true"], "it may come later")
        }

        @Test func `a process survives the end of its D-Bus and reads its record over the next one`() async throws {
            try await start()
            // A process that a test starts inherits that SIGTERM is blocked, by which GIO ends it.
            let worker = try Worker(
                ["/usr/bin/env", "--default-signal=TERM", Worker.program.path] + bus.arguments() + ["20"],
                environment: bus.environment
            )
            #expect(try await worker.send("replace - 1") == "true")
            try await bus.stopBus()
            #expect(try await worker.send("read").hasPrefix("unavailable locked "))
            try await start()
            #expect(try await worker.send("read") == "record 1")
            #expect(try await bus.worker().send("read") == "record 1")
        }

        @Test func `the first call after a restart of the D-Bus returns the stored record`() async throws {
            try await start()
            let worker = try bus.worker()
            #expect(try await worker.send("replace - 1") == "true")
            try await bus.stopBus()
            try await start()
            #expect(try await worker.send("read") == "record 1")
        }

        @Test func `a call whose D-Bus ends is repeated over the new bus`() async throws {
            try await start()
            let worker = try bus.worker()
            #expect(try await worker.send("replace - 1") == "true")
            try bus.signalKeyring(SIGSTOP)
            try worker.write("read")
            try await bus.replace()
            #expect(await worker.nextLine() == "record 1")
        }

        @Test func `a call to a bus that never responds times out after a second, and the next call reconnects`()
            async throws
        {
            let socket = try SilentSocket(bus.folder.url.appending(path: "bus"))
            let worker = try bus.worker(timeout: 1)
            let answers = try await worker.send(["read", "replace - 1", "read"])
            for answer in answers {
                #expect(answer.hasPrefix("unavailable locked the Secret Service did not respond within 1 s"))
            }
            #expect(socket.connections >= 3, "a call that was given up has ended")
        }

        @Test func `a call to a service that hangs times out, and its write never replaces a later one`()
            async throws
        {
            try await start()
            let (one, two) = (try bus.worker(timeout: 3), try bus.worker(timeout: 3))
            #expect(try await one.send(["replace - 1", "read"]) == ["true", "record 1"])
            #expect(try await two.send("read") == "record 1")
            try bus.signalKeyring(SIGSTOP)
            #expect(try await one.send("overwrite 2").hasPrefix("unavailable locked "))
            #expect(try await two.send("read").hasPrefix("unavailable locked "))
            try bus.signalKeyring(SIGCONT)
            #expect(try await two.send(["overwrite 3", "read"]) == ["done", "record 3"])
            #expect(try await one.send(["read", "replace 3 4"]) == ["record 3", "true"])
        }

        @Test func `a store with two items of one name is damaged until an explicit overwrite`() async throws {
            try await start()
            let (worker, other) = (try bus.worker(), try bus.worker("other"))
            #expect(try await worker.send("replace - 1") == "true")
            #expect(try await other.send("replace - 2") == "true")
            let found = try await bus.call("", "SearchItems", "{'name': 'other'}")
            let item = try #require(found.split(separator: "'").first { $0.hasPrefix("/org") })
            _ = try await bus.call(
                String(item.dropFirst("/org/freedesktop/secrets".count)),
                "org.freedesktop.DBus.Properties.Set",
                "org.freedesktop.Secret.Item",
                "Attributes",
                "<{'application': 'freshet-test', 'name': 'main'}>"
            )
            #expect(try await worker.send("read").hasPrefix("unavailable damaged "))
            #expect(try await worker.send("replace 1 3").hasPrefix("unavailable damaged "))
            #expect(try await worker.send(["overwrite 4", "read", "names"]) == ["done", "record 4", "names main"])
        }

        @Test func `a killed writer of the Secret Service leaves the last acknowledged record, or the next`()
            async throws
        {
            try await start()
            // The check itself runs in a worker, for this process must not speak with the user's own bus.
            #expect(try await bus.worker("crash").send("crashes") == "kept")
        }
    }

    @Suite struct `Secret Service library` {
        @Test func `a store without libsecret is unavailable, and the error names the package to install`() throws {
            let folder = try Folder()
            let caller = SecretServiceClient(library: "libsecret-none.so.0")
            let store = SecretServiceStore(application: "a", name: "b", lockDirectory: folder.url, caller: caller)
            let expected = SessionStoreError(
                .failed,
                "libsecret-none.so.0 is not installed (Debian's package libsecret-1-0)"
            )
            #expect(throws: expected) { try store.read() }
            #expect(throws: expected) { try store.replace(nil, with: Fixtures.record(nil)) }
            // Twice: the lock was let go.
            #expect(throws: expected) { try store.overwrite(with: nil) }
            #expect(try store.processLock?.attempt() != nil)
        }

        @Test func `a library without a required function is an error that names the function`() throws {
            #expect { try Libsecret.named("libc.so.6") } throws: {
                ($0 as? SessionStoreError)?.reason.hasPrefix("libc.so.6 has no g_") == true
            }
        }
    }
#endif
