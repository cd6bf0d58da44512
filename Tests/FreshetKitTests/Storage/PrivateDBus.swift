// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

/// A session bus and a home of its own, so that nothing of the user's is touched, and GNOME's keyring on it.
final class PrivateDBus {
    let folder: Folder
    /// The environment with which a process finds this bus, and no other.
    let environment: [String: String]
    private var bus: Worker?
    private var keyring: Process?

    init() throws {
        folder = try Folder()
        let home = folder.url.path
        let inherited = ProcessInfo.processInfo.environment
        let own = [
            "PATH": inherited["PATH"] ?? "/usr/bin:/bin",
            "HOME": home, "XDG_RUNTIME_DIR": home, "XDG_DATA_HOME": "\(home)/data", "XDG_CONFIG_HOME": "\(home)/config",
            "XDG_CACHE_HOME": "\(home)/cache", "XDG_STATE_HOME": "\(home)/state",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home)/bus",
            // A misuse of GLib ends the process.
            "G_DEBUG": "fatal-criticals",
        ]
        // A worker has the same mutant as its test (docs/mutation-testing.md).
        environment = own.merging(inherited.filter { $0.key.hasPrefix("FRESHET_MUTANT") }) { own, _ in own }
    }

    deinit {
        for process in [keyring, bus?.process].compactMap({ $0 }) where process.isRunning {
            kill(process.processIdentifier, SIGCONT)
            kill(process.processIdentifier, SIGKILL)
        }
    }

    /// A worker whose store is with the Secret Service of this bus.
    ///
    /// - Parameters:
    ///   - name: The name of its session.
    ///   - timeout: The timeout of each call in seconds; an app's second is too short for a busy machine.
    /// - Returns: The worker.
    /// - Throws: The error that prevented its start.
    func worker(_ name: String = "main", timeout: Int = 20) throws -> Worker {
        try Worker(arguments(name) + ["\(timeout)"], environment: environment)
    }

    func arguments(_ name: String = "main") -> [String] {
        ["secret-service", "freshet-test", name, folder.url.appending(path: "locks").path]
    }

    /// Starts a bus that starts nothing by itself.
    func startBus() async throws {
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(folder.url.path)/bus</listen>
            <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
            </policy></busconfig>
            """
        let file = folder.url.appending(path: "bus.conf")
        try Data(configuration.utf8).write(to: file)
        try? FileManager.default.removeItem(at: folder.url.appending(path: "bus"))
        let bus = try Worker(
            ["/usr/bin/dbus-daemon", "--config-file=\(file.path)", "--nofork", "--nopidfile", "--print-address"],
            environment: environment
        )
        self.bus = bus
        try #require(await bus.nextLine()?.hasPrefix("unix:path=") == true, "a bus has to start")
    }

    /// Starts GNOME's keyring, and waits until it answers.
    func startKeyring(isUnlocked: Bool = true) async throws {
        // A line with an empty password is what unlocks it.
        var arguments = ["--foreground", "--components=secrets"]
        if isUnlocked { arguments.append("--unlock") }
        let keyring = try Worker.process(
            ["/usr/bin/gnome-keyring-daemon"] + arguments,
            told: "",
            environment: environment
        )
        keyring.standardOutput = FileHandle.nullDevice
        keyring.standardError = FileHandle.nullDevice
        try keyring.run()
        self.keyring = keyring
        _ = try await gdbus(["wait", "--session", "--timeout", "20", "org.freedesktop.secrets"])
        if isUnlocked {
            let alias = try await call("", "ReadAlias", "default")
            try #require(alias.contains("/collection/login"), "the keyring has to be open: \(alias)")
        }
    }

    /// Calls a method of the service, or of an object below it.
    func call(_ path: String, _ method: String, _ arguments: String...) async throws -> String {
        let interface = path.isEmpty ? "org.freedesktop.Secret.Service." : ""
        return try await gdbus(
            ["call", "--session", "--dest", "org.freedesktop.secrets"]
                + ["--object-path", "/org/freedesktop/secrets\(path)", "--method", interface + method] + arguments
        )
    }

    func lock() async throws {
        _ = try await call("", "Lock", "['/org/freedesktop/secrets/collection/login']")
    }

    /// Makes a collection the default one, for new items.
    func makeDefault(_ collection: String) async throws {
        _ = try await call("", "SetAlias", "default", "/org/freedesktop/secrets/collection/\(collection)")
    }

    private func gdbus(_ arguments: [String]) async throws -> String {
        let call = try Worker(["/usr/bin/gdbus"] + arguments, environment: environment)
        var text = ""
        while let line = await call.nextLine() { text += line + "\n" }
        return text
    }

    /// Starts a new bus and a new keyring in place of the present ones, which end afterwards.
    func replace() async throws {
        let (oldBus, oldKeyring) = (try #require(bus), try #require(keyring))
        try await startBus()
        try await startKeyring()
        try await Self.end(oldBus.process)
        try await Self.end(oldKeyring)
    }

    func signalKeyring(_ signal: Int32) throws {
        kill(try #require(keyring).processIdentifier, signal)
    }

    func stopKeyring() async throws { try await Self.end(try #require(keyring)) }

    func stopBus() async throws { try await Self.end(try #require(bus).process) }

    private static func end(_ process: Process) async throws {
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                ended.resume()
            }
        }
    }
}
