// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

@testable import SessionFixtures

#if os(Linux)
    import Foundation
    import Testing

    @testable import FreshetKit

    @Suite(.timeLimit(.minutes(5))) struct `Secret store chain` {
        let bus: PrivateDBus

        init() throws { bus = try PrivateDBus() }

        /// A worker whose home has no bus, and which is in a login of its own.
        private func worker(_ before: [String] = [], _ application: String = "freshet-test") throws -> Worker {
            let locks = bus.folder.url.appending(path: "locks").path
            return try Worker(
                before + [Worker.program.path, "new-login", Worker.program.path]
                    + ["secret-service", application, "main", locks],
                environment: bus.environment
            )
        }

        /// A worker to which the kernel's keyrings are forbidden.
        private func workerWithoutKeyrings() throws -> Worker {
            let locks = bus.folder.url.appending(path: "locks").path
            return try Worker(
                TracedWorker.failing("keyctl,add_key", "EPERM")
                    + [Worker.program.path, "secret-service", "freshet-test", "main", locks],
                environment: bus.environment
            )
        }

        @Test(.enabled(if: testsRealStores, "Scripts/test-stores installs a keyring and runs them"))
        func `the secret store chain selects the Secret Service first, and the probe leaves no item`() async throws {
            try await bus.startBus()
            try await bus.startKeyring()
            #expect(try await worker().send("chain") == "secret-service")
            #expect(try await worker([], "freshet-test.probe").send("names") == "names ")
            try await bus.lock()
            let next = KernelKeyring.isPermitted ? "kernel-keyring" : "unavailable locked secret-service: "
            #expect(try await worker().send("chain").hasPrefix(next))
        }

        @Test(.enabled(if: KernelKeyring.isPermitted, "the kernel's keyrings are not permitted here"))
        func `the secret store chain selects the kernel keyring without a bus, and the probe leaves no item`()
            async throws
        {
            let application = "freshet-test-\(UUID().uuidString)"
            #expect(try await worker([], application).send("chain") == "kernel-keyring")
            let probe = try Worker(["kernel-keyring", "\(application).probe", "main", bus.folder.url.path])
            #expect(try await probe.send("names") == "names ")
        }

        @Test(
            .enabled(if: KernelKeyring.isPermitted, "the kernel's keyrings are not permitted here"),
            .enabled(if: TracedWorker.isPermitted, "strace is missing here, or may not trace")
        )
        func `a secret store that cannot read its probe back is not selected`() async throws {
            let application = "freshet-test-\(UUID().uuidString)"
            // The first call is that of the new login, and the next three store the probe.
            let losing = TracedWorker.failing("keyctl", "ENOKEY:when=5+")
            let answer = try await worker(losing, application).send("chain")
            #expect(answer.hasSuffix("kernel-keyring: a stored item cannot be read back"), "\(answer)")
            let probe = try Worker(["kernel-keyring", "\(application).probe", "main", bus.folder.url.path])
            #expect(try await probe.send("clean") == "done")
        }

        @Test(.enabled(if: TracedWorker.isPermitted, "strace is missing here, or may not trace"))
        func `a Secret Service that does not respond is given up after a second`() async throws {
            let socket = try SilentSocket(bus.folder.url.appending(path: "bus"))
            let answer = try await workerWithoutKeyrings().send("chain")
            // Where the library is not installed, this says so.
            #expect(
                answer.contains("secret-service: the Secret Service did not respond within 1 s")
                    || answer.contains("is not installed"),
                "\(answer)"
            )
            _ = socket
        }

        @Test(.enabled(if: TracedWorker.isPermitted, "strace is missing here, or may not trace"))
        func `the secret store chain reports the reason of each unusable store, and selects no file`() async throws {
            let answer = try await workerWithoutKeyrings().send("chain")
            #expect(answer.hasPrefix("unavailable locked secret-service: "), "\(answer)")
            #expect(answer.contains("; kernel-keyring: the kernel's keyrings are not permitted here"), "\(answer)")
        }
    }
#endif
