// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetSystem

/// A PostgreSQL cluster of the tests' own.
///
/// It listens on a socket in its folder and on no port, or also on its node of a network, and runs as the user `postgres`
/// where the tests run as root, whom PostgreSQL refuses. It ends when this process does, however that comes about.
package final class PostgresCluster: Sendable {
    /// Started once, for all tests that do not stop it.
    package static let shared: Result<PostgresCluster, any Error> = Result { try PostgresCluster() }
    private static let environment = ProcessInfo.processInfo.environment
    /// Without PostgreSQL these tests fail, unless they are told to do without.
    package static let isWanted = environment["FRESHET_WITHOUT_POSTGRES"] == nil
    /// Whether servers under test are to keep their rows on PostgreSQL.
    package static let isAsked = environment["FRESHET_TEST_DATABASE"] == "postgres"

    package let folder: URL
    private let programs: URL
    /// Where it runs; beside the tests if left out.
    private let node: NodeNetwork.Node?
    /// Closed by the system when this process ends, however that comes about.
    private let life: FileHandle

    package convenience init(on node: NodeNetwork.Node? = nil) throws {
        try self.init(node) { cluster in
            try cluster.run(
                "initdb",
                ["-D", cluster.data, "-U", "freshet", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
            )
            if let node { try cluster.admit(node.neighbours) }
        }
    }

    /// A standby that follows `primary` under a name.
    package convenience init(
        following primary: PostgresCluster,
        as name: String,
        on node: NodeNetwork.Node? = nil
    ) throws {
        try self.init(node) { cluster in
            let source = "host=\(primary.host) user=freshet application_name=\(name)"
            try cluster.run(
                "pg_basebackup",
                ["-D", cluster.data, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"]
            )
        }
    }

    private init(_ node: NodeNetwork.Node?, _ make: (PostgresCluster) throws -> Void) throws {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let found = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        guard let version = found.compactMap({ Int($0) }).max() else {
            throw Failure(what: "PostgreSQL is not installed; FRESHET_WITHOUT_POSTGRES=1 does without it")
        }
        programs = versions.appending(path: "\(version)/bin")
        self.node = node
        // Short, for a socket's path has a hundred bytes at most.
        folder = URL(filePath: "/tmp/freshet-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let (reading, writing) = try Subprocess.pipe()
        life = writing
        if getuid() == 0 { try Self.run(["chown", "postgres", folder.path]) }
        try make(self)
        try keep(reading)
        try start()
    }

    private var data: String { folder.appending(path: "data").path }

    /// Where clients find it.
    package var host: String { node?.address ?? folder.path }

    /// The address of a database of the cluster's.
    package func address(_ name: String) -> String { "postgresql://freshet@/\(name)?host=\(host)" }

    /// A new, empty database.
    ///
    /// - Returns: Its address.
    package func database() throws -> String { address(try newDatabase()) }

    /// A new, empty database.
    ///
    /// - Returns: Its name.
    package func newDatabase() throws -> String {
        let name = "t_" + UUID().uuidString.replacing("-", with: "").lowercased()
        try run("createdb", ["-h", folder.path, "-U", "freshet", name])
        return name
    }

    /// A new database of the shared cluster if the tests are told to run on PostgreSQL (`FRESHET_TEST_DATABASE=postgres`);
    /// `nil` for SQLite.
    package static func databaseIfAsked() throws -> String? {
        isAsked ? try shared.get().database() : nil
    }

    /// Lets everybody of a network in, without a password.
    private func admit(_ network: String) throws {
        let file = try FileHandle(forWritingTo: folder.appending(path: "data/pg_hba.conf"))
        try file.seekToEnd()
        for databases in ["all", "replication"] {
            try file.write(contentsOf: Data("host \(databases) all \(network) trust\n".utf8))
        }
        try file.close()
    }

    // MARK: - Its life

    package func start() throws {
        let options = "-k \(folder.path) -c listen_addresses='\(node?.address ?? "")' -c max_connections=1000"
        try run("pg_ctl", ["-D", data, "-l", folder.appending(path: "log").path, "-o", options, "-w", "start"])
    }

    /// Kills it without a word to anybody.
    package func halt() throws { try run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]) }

    /// Lets it answer a durable commit only once the standby of that name has it, too.
    package func wait(for standby: String) throws {
        try execute("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        try execute("SELECT pg_reload_conf()")
        // Polls: the primary is another process, and announces no change of its standbys.
        let isThere = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while (try? execute(isThere)) == nil { usleep(50_000) }
    }

    /// Lets every durable commit wait for a standby that is not there.
    package func loseStandby() throws {
        try execute("ALTER SYSTEM SET synchronous_standby_names = 'lost'")
        try execute("SELECT pg_reload_conf()")
    }

    /// Lets durable commits wait for no standby, and ends the waits.
    package func forgetStandby() throws {
        try execute("ALTER SYSTEM RESET synchronous_standby_names")
        try execute("SELECT pg_reload_conf()")
    }

    /// Waits until this many commits wait for a standby.
    package func waitUntilCommitsWait(_ count: Int) throws {
        // Polls: the cluster is another process, and announces no wait.
        let areThere = "SELECT 1 / (count(*) = \(count))::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while (try? execute(areThere)) == nil { usleep(50_000) }
    }

    /// Ends what `freshet` servers have under way, and their connections.
    package func disconnectServers() throws {
        try execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'freshet'")
    }

    /// Lets nobody write any more, as an operator does with a primary that is one no longer.
    package func fence() throws {
        try execute("ALTER SYSTEM SET default_transaction_read_only = on")
        try execute("SELECT pg_reload_conf()")
        try disconnectServers()
    }

    /// The first value that a question to a database is answered with.
    package func answer(_ sql: String, in database: String) throws -> String {
        let file = folder.appending(path: "answer")
        try execute(sql, in: database, ["-At", "-o", file.path])
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Loads a dump into an empty database.
    package func load(_ dump: URL, into database: String) throws {
        let place = ["-h", folder.path, "-U", "freshet", "-d", database, "-v", "ON_ERROR_STOP=1"]
        let psql = try Self.start(
            command("psql", place + ["-q", "-o", "/dev/null"]),
            input: try FileHandle(forReadingFrom: dump)
        )
        guard psql.wait(until: .now + .seconds(60)) == .exited(0) else {
            throw Failure(what: "loading \(dump.lastPathComponent)")
        }
    }

    /// Talks to it by its folder's socket, which no cut of a network reaches.
    private func execute(_ sql: String, in database: String = "postgres", _ options: [String] = []) throws {
        let place = ["-h", folder.path, "-U", "freshet", "-d", database, "-v", "ON_ERROR_STOP=1"]
        try run("psql", place + options + ["-qc", sql])
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
    private func keep(_ input: FileHandle) throws {
        let stop = atHome("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]).joined(separator: " ")
        _ = try Self.start(["sh", "-c", "cat >/dev/null; \(stop); rm -rf \(folder.path)"], input: input)
        try input.close()
    }

    // MARK: - Programs

    private func run(_ program: String, _ arguments: [String]) throws { try Self.run(command(program, arguments)) }

    private func command(_ program: String, _ arguments: [String]) -> [String] {
        (node?.entrance ?? []) + atHome(program, arguments)
    }

    /// A program that needs nothing of the network, and runs when that is gone, too.
    private func atHome(_ program: String, _ arguments: [String]) -> [String] {
        let command = [programs.appending(path: program).path] + arguments
        return getuid() == 0 ? ["runuser", "-u", "postgres", "--"] + command : command
    }

    static func run(_ command: [String]) throws {
        guard try start(command).wait(until: .now + .seconds(300)) == .exited(0) else {
            throw Failure(what: command.joined(separator: " "))
        }
    }

    /// Starts a program that gets nothing of ours but, maybe, its input.
    static func start(_ command: [String], input: FileHandle? = nil) throws -> Subprocess {
        // The user postgres may not look at the folder where the tests run.
        try Subprocess(["/usr/bin/env", "-C", "/"] + command, environment: environment, input: input)
    }

    package struct Failure: Error { package var what: String }
}
