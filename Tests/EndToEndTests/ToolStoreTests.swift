// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import freshet

/// Where the tool keeps a session, and how it gets from one place to another.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `Stores of the tool` {
    static let testsRealStores = ProcessInfo.processInfo.environment["FRESHET_STORES"] == "1"
    private static let strace = "/usr/bin/strace"
    private static let worker = TestEnvironment.program.deletingLastPathComponent().appending(path: "StoreWorker").path

    /// A login of its own, with a keyring for its session that nobody else is in.
    private static let newLogin = [worker, "new-login"]

    /// No desktop, and a lock folder of this world.
    private func environment(_ world: TestEnvironment, store: String? = nil) throws -> [String: String] {
        let folder = world.folder.appending(path: "run")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return [
            "XDG_RUNTIME_DIR": folder.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus",
            "FRESHET_STORE": store ?? "",
        ]
    }

    private func account(_ world: TestEnvironment, _ more: String...) throws -> [String] {
        ["login", "--server", try world.address.absoluteString, "--email", "ann@example.com", "--password-stdin"] + more
    }

    private let password = "correct horse\n"

    private static var keyringIsPermitted: Bool {
        #if os(Linux)
            (try? KernelKeyringStores(application: "freshet-test").names()) != nil
        #else
            false
        #endif
    }

    @Test func `the tool stores settings and sessions below HOME without XDG variables, in folders with mode 700`()
        async throws
    {
        try await TestEnvironment.live { world in
            let home = world.folder.appending(path: "other-home")
            let variables = ["HOME": home.path, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "FRESHET_STORE": ""]
            let login = try account(world, "--sign-up", "--store", "plain-file")
            #expect(try await world.tool(login, input: password, environment: variables).status == 0)
            #expect(try await world.tool(["token"], environment: variables).status == 0)
            for name in [".config/freshet/profile-default.json", ".local/state/freshet/default.session"] {
                let file = home.appending(path: name)
                #expect(FileManager.default.fileExists(atPath: file.path))
                let folder = file.deletingLastPathComponent().path
                let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
                #expect(mode == 0o700, "\(folder)")
            }
        }
    }

    @Test func `a store chosen at sign-in is saved in the profile and shown by the status command`() async throws {
        try await TestEnvironment.live { world in
            let bare = try environment(world)
            let login = try account(world, "--sign-up", "--store", "plain-file")
            #expect(try await world.tool(login, input: password, environment: bare).status == 0)
            let status = try await world.tool(["status", "--json"], environment: bare)
            #expect(status.object?["store_kind"] as? String == "plain-file")
            #expect((status.object?["store"] as? String)?.hasPrefix("file /") == true)
            let text = try await world.tool(["status"], environment: bare)
            #expect(text.output.contains(/(?m)^store +plain-file  \(file \/.*\)$/))

            // The next sign-in stays with it, and needs no other store.
            #expect(try await world.tool(try account(world), input: password, environment: bare).status == 0)
            #expect(try await world.tool(["token"], environment: bare).status == 0)
        }
    }

    @Test func `a profile without a store setting keeps its plain-file store`() async throws {
        try await TestEnvironment.live { world in
            let bare = try environment(world)
            #expect(try await world.tool(try account(world, "--sign-up"), input: password).status == 0)
            let file = world.folder.appending(path: "home/config/freshet/profile-default.json")
            let saved = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            var settings = try #require(saved)
            #expect(settings.removeValue(forKey: "store") as? String == "plain-file")
            try JSONSerialization.data(withJSONObject: settings).write(to: file)
            #expect(try await world.tool(["token"], environment: bare).status == 0)
            let status = try await world.tool(["status", "--json"], environment: bare)
            #expect(status.object?["store_kind"] as? String == "plain-file")
            #expect(try await world.tool(try account(world), input: password, environment: bare).status == 0)
        }
    }

    @Test func `an unknown store is a usage error`() async throws {
        try await TestEnvironment.live { world in
            let bare = try environment(world, store: "vault")
            #expect(try await world.tool(try account(world), input: password, environment: bare).status == 64)
            let login = try account(world, "--store", "vault")
            #expect(try await world.tool(login, input: password).status == 64)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: strace), "needs strace, to forbid kernel keys"))
    func `the tool exits with 6 and suggests a command when no secret store is available`() async throws {
        try await TestEnvironment.live { world in
            let forbidding = [Self.strace, "-f", "-qq", "-o", "/dev/null", "-e", "inject=keyctl,add_key:error=EPERM"]
            for store in [nil, "auto"] {
                let bare = try environment(world, store: store)
                let login = try account(world, "--sign-up")
                let ending = try await world.tool(login, input: password, environment: bare, through: forbidding)
                #expect(ending.status == 6)
                #expect(ending.notes.contains("no secret store can be used here (secret-service: "), "\(ending.notes)")
                #expect(ending.notes.contains("kernel-keyring: the kernel's keyrings are not permitted here"))
                #expect(ending.notes.hasSuffix("type: freshet login --store plain-file\n"))
            }
            #expect(!FileManager.default.fileExists(atPath: world.folder.appending(path: "home/state/freshet").path))
            let bare = try environment(world)
            let login = try account(world, "--sign-up", "--store", "secret-service")
            #expect(try await world.tool(login, input: password, environment: bare).status == 6)
        }
    }

    @Test(.enabled(if: keyringIsPermitted, "the kernel's keyrings are not permitted here"))
    func `the tool uses the kernel keyring without a desktop, and a change of store signs the old session out`()
        async throws
    {
        try await TestEnvironment.live { world in
            let bare = try environment(world)
            let profile = ["--profile", "test-\(UUID().uuidString)"]
            let login = try account(world, "--sign-up") + profile
            let first = try await world.tool(login, input: password, environment: bare, through: Self.newLogin)
            #expect(first.status == 0, "\(first.notes)")
            // Another login of the same user.
            let status = try await world.tool(
                ["status", "--json"] + profile,
                environment: bare,
                through: Self.newLogin
            )
            #expect(status.object?["state"] as? String == "signed_in")
            #expect(status.object?["store_kind"] as? String == "kernel-keyring")
            let refresh = ["token", "--refresh"] + profile
            #expect(try await world.tool(refresh, environment: bare, through: Self.newLogin).status == 0)

            let failed = try account(world, "--store", "plain-file") + profile
            let wrong = try await world.tool(failed, input: "wrong horse\n", environment: bare, through: Self.newLogin)
            #expect(wrong.status == 4)
            #expect(try await world.tool(["token"] + profile, environment: bare).status == 0, "it moved, and is intact")
            #expect(world.counts.ends.isEmpty)

            #expect(
                try await world.tool(failed, input: password, environment: bare, through: Self.newLogin).status == 0
            )
            #expect(world.counts.ends == ["logout": 1], "the session that was there")
            let back = try account(world, "--store", "kernel-keyring") + profile
            #expect(try await world.tool(back, input: password, environment: bare, through: Self.newLogin).status == 0)
            #expect(world.counts.ends == ["logout": 2])
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: world.folder.appending(path: "home/state/freshet").path
                ).allSatisfy { !$0.hasSuffix(".session") }
            )
            #expect(try await world.tool(["logout"] + profile, environment: bare, through: Self.newLogin).status == 0)
            #expect(try await world.tool(["token"] + profile, environment: bare, through: Self.newLogin).status == 4)
        }
    }

    @Test(.enabled(if: testsRealStores, "Scripts/test-stores installs a keyring and runs them"))
    func `the tool uses the Secret Service on a desktop, and the session stays stored when the service restarts`()
        async throws
    {
        try await TestEnvironment.live { world in
            let bus = [
                URL(filePath: #filePath).appending(path: "../../../Scripts/private-bus").standardizedFileURL.path,
                world.folder.appending(path: "desktop").path,
            ]
            let bare = try environment(world)
            let first = try await world.tool(
                try account(world, "--sign-up"),
                input: password,
                environment: bare,
                through: bus
            )
            #expect(first.status == 0, "\(first.notes)")
            let status = try await world.tool(["status", "--json"], environment: bare, through: bus)
            #expect(status.object?["state"] as? String == "signed_in", "\(status.status): \(status.notes)")
            #expect(status.object?["store_kind"] as? String == "secret-service")
            #expect(status.object?["store"] as? String == "Secret Service, item \"Freshet session default\"")
            let refresh = try await world.tool(["token", "--refresh"], environment: bare, through: bus)
            #expect(refresh.status == 0, "\(refresh.notes)")

            // Without the desktop the session is out of reach, and nobody is told that it has ended.
            let away = try await world.tool(["status", "--json"], environment: bare)
            #expect(away.status == 6)
            #expect(away.object?["state"] as? String == "unknown")
            #expect(try await world.tool(["token"], environment: bare).status == 6)

            // A user who signs in with another store meanwhile is told which session is left behind.
            let elsewhere = try account(world, "--store", "plain-file")
            let second = try await world.tool(elsewhere, input: password, environment: bare)
            #expect(second.status == 0)
            #expect(second.notes.contains("a session stored there is not signed out"))
            let logout = try await world.tool(["logout"], environment: bare, through: bus)
            #expect(logout.status == 0, "\(logout.notes)")
        }
    }
}
