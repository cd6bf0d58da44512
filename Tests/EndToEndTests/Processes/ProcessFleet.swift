// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Processes of the tool that share one profile.
struct ProcessFleet: Sendable {
    private let home: URL
    private let profile = "default"

    /// Signs in with a process of its own; `arguments` are those of `login` beside the account.
    static func signedIn(in folder: URL, _ arguments: [String]) async throws -> ProcessFleet {
        let fleet = ProcessFleet(home: folder.appending(path: "home"))
        let account = ["--email", "ann@example.com", "--password-stdin"]
        let login = try fleet.start(["login"] + account + arguments, input: "correct horse\n")
        #expect(await login.wait().status == 0)
        return fleet
    }

    /// Starts a process, with an injection by `strace` into its system calls, as `renameat:signal=KILL:when=1`.
    func start(_ arguments: [String], injection: String? = nil, input: String? = nil) throws -> ChildProcess {
        let environment = [
            "XDG_CONFIG_HOME": home.appending(path: "config").path,
            "XDG_STATE_HOME": home.appending(path: "state").path,
            "FRESHET_STORE": "plain-file",
        ]
        guard let injection else {
            return try ChildProcess(arguments, program: TestEnvironment.program, environment: environment, input: input)
        }
        let strace = [
            "-f", "-o", "/dev/null", "-e", "trace=\(injection.prefix { $0 != ":" })", "-e", "inject=\(injection)",
        ]
        return try ChildProcess(
            strace + [TestEnvironment.program.path] + arguments,
            program: URL(filePath: "/usr/bin/strace"),
            environment: environment
        )
    }

    /// Runs a process to its end.
    func run(_ arguments: [String], injection: String? = nil) async throws -> ChildProcess.Ending {
        try await start(arguments, injection: injection).wait()
    }

    /// The output of `freshet status`.
    func status() async throws -> [String: Any] {
        let ending = try await run(["status", "--json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
    }

    /// Makes the stored access token one that has ended, so that nobody has to wait for its end.
    func endAccessToken() throws {
        let file = home.appending(path: "state/freshet/\(profile).session")
        let data = try Data(contentsOf: file)
        var record = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var session = try #require(record["session"] as? [String: Any])
        session["lifetime"] = 0
        record["session"] = session
        try JSONSerialization.data(withJSONObject: record).write(to: file)
    }

    /// Whether system calls of a process can be interfered with here.
    static let canInject: Bool = {
        let strace = Process()
        strace.executableURL = URL(filePath: "/usr/bin/strace")
        strace.arguments = ["-f", "-o", "/dev/null", "-e", "trace=none", "/bin/true"]
        strace.standardError = FileHandle.nullDevice
        guard (try? strace.run()) != nil else { return false }
        strace.waitUntilExit()
        return strace.terminationStatus == 0
    }()
}
