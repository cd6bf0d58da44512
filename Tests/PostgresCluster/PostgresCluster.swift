// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A PostgreSQL cluster of the tests' own.
///
/// It listens on a socket in its folder and on no port, and runs as the user `postgres` where the tests run as root, whom
/// PostgreSQL refuses. It ends when this process does, however that comes about.
package final class PostgresCluster: Sendable {
    /// Started once, for all tests that do not stop it.
    package static let shared: Result<PostgresCluster, any Error> = Result { try PostgresCluster() }
    private static let environment = ProcessInfo.processInfo.environment
    /// Without PostgreSQL these tests fail, unless they are told to do without.
    package static let isWanted = environment["FRESHET_WITHOUT_POSTGRES"] == nil

    package let folder: URL
    private let programs: URL

    package convenience init() throws {
        try self.init { cluster in
            try cluster.run(
                "initdb",
                ["-D", cluster.data, "-U", "freshet", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
            )
        }
    }

    /// A standby that follows `primary` under a name.
    package convenience init(following primary: PostgresCluster, as name: String) throws {
        try self.init { cluster in
            let source = "host=\(primary.folder.path) user=freshet application_name=\(name)"
            try cluster.run(
                "pg_basebackup",
                ["-D", cluster.data, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"]
            )
        }
    }

    private init(_ make: (PostgresCluster) throws -> Void) throws {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let found = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        guard let version = found.compactMap({ Int($0) }).max() else {
            throw Failure(what: "PostgreSQL is not installed; FRESHET_WITHOUT_POSTGRES=1 does without it")
        }
        programs = versions.appending(path: "\(version)/bin")
        // Short, for a socket's path has a hundred bytes at most.
        folder = URL(filePath: "/tmp/freshet-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        if getuid() == 0 { try Self.run(["chown", "postgres", folder.path]) }
        try make(self)
        try keep()
        try start()
    }

    private var data: String { folder.appending(path: "data").path }

    /// The address of a database of the cluster's.
    package func address(_ name: String) -> String { "postgresql://freshet@/\(name)?host=\(folder.path)" }

    /// A new, empty database.
    ///
    /// - Returns: its address.
    package func database() throws -> String {
        let name = "t_" + UUID().uuidString.replacing("-", with: "").lowercased()
        try run("createdb", ["-h", folder.path, "-U", "freshet", name])
        return address(name)
    }

    /// A new database of the shared cluster if the tests are told to run on PostgreSQL (`FRESHET_TEST_DATABASE=postgres`);
    /// `nil` for SQLite.
    package static func databaseIfAsked() throws -> String? {
        environment["FRESHET_TEST_DATABASE"] == "postgres" ? try shared.get().database() : nil
    }

    // MARK: - Its life

    package func start() throws {
        let options = "-k \(folder.path) -c listen_addresses='' -c max_connections=1000"
        try run("pg_ctl", ["-D", data, "-l", folder.appending(path: "log").path, "-o", options, "-w", "start"])
    }

    /// Kills it without a word to anybody.
    package func halt() throws { try run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]) }

    /// Lets it answer a durable commit only once the standby of that name has it, too.
    package func wait(for standby: String) throws {
        try tell("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        try tell("SELECT pg_reload_conf()")
        // Until it is taken for one.
        let isThere = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while (try? tell(isThere)) == nil { usleep(50_000) }
    }

    private func tell(_ sql: String) throws {
        try run("psql", ["-h", folder.path, "-U", "freshet", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qc", sql])
    }

    /// Kills the process that all of its others end with, as the system does when memory is short: `kill -9`.
    package func shoot() throws {
        let file = folder.appending(path: "data/postmaster.pid")
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }), process > 1 else {
            throw Failure(what: "no process in postmaster.pid")
        }
        _ = kill(process, SIGKILL)
    }

    /// Makes a standby the primary.
    package func promote() throws { try run("pg_ctl", ["-D", data, "-w", "promote"]) }

    /// Kills it, and starts it again.
    package func crash() throws {
        try halt()
        try start()
    }

    package func stop() {
        try? halt()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a process that stops the cluster once this one is gone, which it learns by the end of its input.
    private func keep() throws {
        let stop = command("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]).joined(separator: " ")
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else { throw Failure(what: "pipe") }
        _ = try Self.start(["sh", "-c", "cat >/dev/null; \(stop); rm -rf \(folder.path)"], input: ends[0])
        close(ends[0])
    }

    // MARK: - Programs

    private func run(_ program: String, _ arguments: [String]) throws { try Self.run(command(program, arguments)) }

    private func command(_ program: String, _ arguments: [String]) -> [String] {
        let command = [programs.appending(path: program).path] + arguments
        return getuid() == 0 ? ["runuser", "-u", "postgres", "--"] + command : command
    }

    private static func run(_ command: [String]) throws {
        let process = try start(command)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        guard status == 0 else { throw Failure(what: command.joined(separator: " ")) }
    }

    /// Starts a program that gets nothing of ours but, maybe, its input.
    ///
    /// Not with Foundation's `Process`, which takes it for alive as long as a server that it started is.
    private static func start(_ command: [String], input: Int32? = nil) throws -> pid_t {
        #if os(Linux)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            if let input {
                posix_spawn_file_actions_adddup2(&actions, input, 0)
            } else {
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            }
            for output: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0) }
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            for file in open.compactMap({ Int32($0) }) where file > 2 {
                posix_spawn_file_actions_addclose(&actions, file)
            }
            // The user postgres may not look at the folder where the tests run.
            let words = (["env", "-C", "/"] + command).map { strdup($0) }
            defer { words.forEach { free($0) } }
            var process: pid_t = 0
            let error = posix_spawnp(&process, "env", &actions, nil, words + [nil], environ)
            guard error == 0 else { throw Failure(what: "\(command[0]): \(String(cString: strerror(error)))") }
            return process
        #else
            throw Failure(what: "PostgreSQL is started for tests on Linux only")
        #endif
    }

    package struct Failure: Error { package var what: String }
}
