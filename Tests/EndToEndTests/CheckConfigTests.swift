// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import freshet

/// `freshet serve --check-config` finds faults before a server is started, and changes nothing.
@Suite(.timeLimit(.minutes(5)))
final class `The check of the settings` {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-check-\(UUID())")
    private var data: URL { folder.appending(path: "data") }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func check(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) async throws -> (status: Int32, notes: String) {
        let notes = folder.appending(path: "notes")
        try Data().write(to: notes)
        let handle = try FileHandle(forWritingTo: notes)
        // Without the variables of this process, which are those of other tests, but for the options of a sanitizer.
        let options = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        let variables = options.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        let command = [RunningServer.program.path, "serve", "--check-config", "--data", data.path]
        let ending = try await ChildProcess(
            ["-i"] + variables + command + arguments,
            program: URL(filePath: "/usr/bin/env"),
            log: handle
        ).wait()
        try handle.close()
        #expect(ending.output.isEmpty)
        return (ending.status, try String(contentsOf: notes, encoding: .utf8))
    }

    @Test func `the settings check prints nothing for the defaults and creates no data folder`() async throws {
        let (status, notes) = try await check([])
        #expect(status == 0 && notes.isEmpty, "\(notes)")
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }

    @Test(arguments: [
        (
            ["--tls-certificate", "/nix/cert.pem", "--tls-key", "/nix/key.pem"], 6,
            "--tls-certificate: /nix/cert.pem: cannot be read"
        ),
        (["--oauth-clients", "/nix/clients.json"], 64, "--oauth-clients: /nix/clients.json: cannot be read"),
        (
            ["--breached-passwords", "/nix/list"], 64,
            "--breached-passwords: /nix/list: cannot be read as a list of SHA-1 hashes"
        ),
        (
            ["--apple-keys", "/nix/keys.json", "--apple-audience", "app"], 64,
            "--apple-keys: /nix/keys.json: no key set"
        ),
        (
            ["--port", "9464", "--metrics-listen", "9464"], 64,
            "--metrics-listen: port 9464 is another listener's already"
        ),
        (
            ["--metrics-listen", "9465", "--operator-listen", "9465"], 64,
            "--operator-listen: port 9465 is another listener's already"
        ),
        (
            ["--mail", "sendmail:/nix/sendmail", "--mail-from", "a@example.com"], 64,
            "sendmail: '/nix/sendmail' is not an executable file"
        ),
        (
            ["--host", "eth0", "--insecure-listen"], 64,
            "--host: cannot listen on 'eth0': it is neither an address nor a host"
        ),
        (
            ["--host", "192.0.2.1", "--insecure-listen"], 64,
            "--host: cannot listen on '192.0.2.1': no network interface of this machine has this address"
        ),
        (
            ["--metrics-listen", "192.0.2.1:9464"], 64,
            "--metrics-listen: cannot listen on '192.0.2.1': no network interface"
        ),
        (["--access-ttl", "2h", "--idle-ttl", "1h"], 64, "--access-ttl: an access token is valid for 2 hours"),
        (["--absolute-ttl", "5m"], 64, "and a session expires after 5 minutes already"),
        (["--contract", "bitbasel", "--access-ttl", "8d", "--idle-ttl", "7d"], 64, "--access-ttl: an access token"),
        (
            ["--contract", "bitbasel", "--contract", "authservice"], 64,
            "the contract 'authservice' and the contract 'bitbasel' both answer POST /auth/logout"
        ),
        (
            ["--contract", "bitbasel", "--contract", "bitbasel"], 64,
            "--contract: the contract 'bitbasel' is given twice with one path"
        ),
        (
            ["--database", "postgresql://a:secret@h/n?sslmod=x"], 64,
            "--database: '•••' has an unknown option, 'sslmod'"
        ),
        (["--operator-listen", "9465"], 64, "--operator-listen needs a password for operators"),
        (["--issuer", "auth.example.com"], 64, "--issuer: 'auth.example.com' is not a URL"),
        (["--issuer", "https://auth.example.com?a=b"], 64, "is not a URL without query and fragment"),
        (
            ["--keys-command", "/nix/keys --all"], 64,
            "keys-command: the first word must be the absolute path of an executable file"
        ),
        (["--data", "/dev/null"], 6, "/dev/null: not a folder of this user alone"),
        (["--data", "/dev/null/data"], 6, "/dev/null/data: cannot be used as the data folder (Not a directory)"),
    ])
    func `the settings check reports a setting that cannot be used, with the reason`(
        arguments: [String],
        status: Int32,
        sentence: String
    ) async throws {
        let found = try await check(arguments)
        #expect(found.status == status)
        #expect(found.notes.contains(sentence), "\(found.notes)")
    }

    @Test func `the settings check accepts an operator password and refuses a data folder readable by others`()
        async throws
    {
        try PrivateFiles.prepare(data)
        try PrivateFiles.write(Array("$argon2id$".utf8), toNewFile: data.appending(path: "operator.password"))
        #expect(try await check(["--operator-listen", "9465"]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path) == ["operator.password"])
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data.path)
        let open = try await check([])
        #expect(open.status == 6 && open.notes.contains("\(data.path): not a folder of this user alone"))
    }

    @Test func `the settings check refuses a password file that is empty, world-readable or a second source`()
        async throws
    {
        let file = folder.appending(path: "password")
        let mail = [
            "--mail", "smtps://mail.example.com", "--mail-from", "a@example.com", "--mail-user", "a",
            "--mail-password-file", file.path,
        ]
        func write(_ text: String, _ mode: Int) throws {
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
        try write("secret\n", 0o644)
        let open = try await check(mail)
        #expect(open.status == 6 && open.notes.contains("\(file.path): it contains a password, and every user"))
        try write("\n", 0o600)
        let empty = try await check(mail)
        #expect(empty.status == 64 && empty.notes.contains("'\(file.path)' contains no password"), "\(empty.notes)")
        try write("secret\n", 0o640)
        #expect(try await check(mail).status == 0)
        let two = try await check(mail, ["FRESHET_MAIL_PASSWORD": "other"])
        #expect(two.status == 64)
        #expect(two.notes.contains("FRESHET_MAIL_PASSWORD and --mail-password-file: give one source"), "\(two.notes)")
    }

    @Test(arguments: [#"{"mail-password": "hunter2"}"#, #"{"database": "postgresql://a:hunter2@h/n"}"#])
    func `the settings check refuses a world-readable settings file that contains a password`(text: String) async throws
    {
        let file = folder.appending(path: "settings.json")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try await check(["--config", file.path])
        #expect(open.status == 6 && open.notes.contains("it contains a password, and every user may read it"))
        #expect(!open.notes.contains("hunter2"))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(try await check(["--config", file.path]).status == 0)
    }

    @Test func `the settings check refuses an invalid or exposed signing key and an empty operator password file`()
        async throws
    {
        try PrivateFiles.prepare(data)
        let (keys, key) = (data.appending(path: "keys"), data.appending(path: "keys/es256-1.pem"))
        try PrivateFiles.prepare(keys)
        try PrivateFiles.write(Array("no key".utf8), toNewFile: key)
        let garbled = try await check([])
        #expect(garbled.status == 6 && garbled.notes.contains("\(key.path): not a key this version can read"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
        let open = try await check([])
        #expect(open.status == 6 && open.notes.contains("\(key.path): a key that others may read"), "\(open.notes)")
        try FileManager.default.removeItem(at: key)
        #expect(try await check([]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys.path).isEmpty, "the check creates no key")

        try PrivateFiles.write([], toNewFile: data.appending(path: "operator.password"))
        #expect(try await check(["--operator-listen", "9465"]).status == 64)
    }

    @Test func `the settings check accepts a port that a running server uses`() async throws {
        let server = try await DataFolderServer(isSQLite: true).start()
        let port = try #require(URL(string: server.address)?.port)
        #expect(try await check(["--port", "\(port)"]).status == 0)
        await server.process.terminate()
    }

    @Test func `the settings check does not run the keys command`() async throws {
        let mark = folder.appending(path: "mark").path
        #expect(try await check(["--keys-command", "/bin/touch \(mark)"]).status == 0)
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func `the settings check suggests a name for a misspelt variable and reports other unknown ones`()
        async throws
    {
        let misspelt = try await check([], ["FRESHET_ACESS_TTL": "5m"])
        #expect(misspelt.status == 64)
        #expect(
            misspelt.notes == "freshet: FRESHET_ACESS_TTL: no setting has this name; did you mean FRESHET_ACCESS_TTL?\n"
        )
        // Kubernetes sets such variables for a service called freshet.
        let other = try await check([], ["FRESHET_SERVICE_HOST": "10.0.0.1"])
        #expect(other.status == 0)
        #expect(other.notes == "freshet: FRESHET_SERVICE_HOST: no setting has this name\n")
        let known = try await check([], ["FRESHET_DIALECT": "bitbasel", "FRESHET_STORE": "plain-file"])
        #expect(known.status == 0 && known.notes.isEmpty, "\(known.notes)")
    }
}
