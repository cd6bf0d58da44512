// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import PostgresCluster
import Testing

@testable import freshet

/// A data folder, and a database if the tests are told to use one, on which `freshet serve` is started again and again.
final class DataFolderServer: Sendable {
    let folder: URL
    var data: URL { folder.appending(path: "data") }
    let environment: [String: String]

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - database: The address of its database; by default the one that the tests are told to use, if any.
    ///   - isSQLite: Whether it uses SQLite in any case.
    /// - Throws: An error if the folder or the database cannot be created.
    init(database: String? = nil, isSQLite: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "freshet-starts-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var environment = ["FRESHET_PASSWORD_COST": "10"]
        if !isSQLite, let address = try database ?? PostgresCluster.databaseIfAsked() {
            environment["FRESHET_DATABASE"] = address
        }
        self.environment = environment
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts a server, and waits until it listens.
    func start(_ arguments: [String] = []) async throws -> RunningServer {
        let (process, log) = try launch(arguments)
        let first = await process.lines.first { _ in true }
        let said = try String(contentsOf: log, encoding: .utf8)
        let address = try #require(first?.split(separator: " ").last.map(String.init), "it does not start: \(said)")
        return RunningServer(address: address, folder: folder, process: process, database: environment)
    }

    /// Starts a server that is expected to refuse.
    ///
    /// - Returns: Its exit code, and what it said on the standard error.
    func refusal(_ arguments: [String] = []) async throws -> (status: Int32, said: String) {
        let (process, log) = try launch(arguments)
        // One that starts all the same is ended, and its exit code is not a refusal's.
        if await process.lines.first(where: { _ in true }) != nil { await process.terminate() }
        let ending = await process.wait()
        return (ending.status, try String(contentsOf: log, encoding: .utf8))
    }

    /// Runs one of the operator's commands on the folder.
    func tool(_ arguments: [String]) async throws -> ChildProcess.Ending {
        try await ChildProcess(
            arguments + ["--data", data.path],
            program: RunningServer.program,
            environment: environment
        ).wait()
    }

    private func launch(_ arguments: [String]) throws -> (ChildProcess, log: URL) {
        let log = folder.appending(path: "log-\(UUID())")
        try Data().write(to: log)
        let process = try ChildProcess(
            ["serve", "--port", "0", "--until-stdin-closes", "--data", data.path] + arguments,
            program: RunningServer.program,
            environment: environment,
            keepsInputOpen: true,
            log: try FileHandle(forWritingTo: log)
        )
        return (process, log)
    }
}

extension RunningServer {
    /// Signs up, and returns the first refresh token.
    func firstToken(_ email: String = "ann@example.com") async throws -> String {
        let reply = try await send("POST", "/v1/signup", json: ["email": email, "password": "correct horse"])
        try #require(reply.status == 201, "\(reply.text)")
        return try #require(reply.string("refresh_token"))
    }

    func refresh(_ token: String, _ intent: Intent = .random()) async throws -> Reply {
        try await send("POST", "/v1/refresh", json: ["refresh_token": token, "intent": intent.text])
    }
}
