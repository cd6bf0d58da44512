// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The server of the demo: a child process on a data folder that can be killed and restarted.
actor DemoServer {
    private let folder: URL
    private let log: FileHandle
    private var process: ChildProcess
    /// The port, which stays the same after a restart.
    let port: Int
    let serverLog: ServerLog

    init(in folder: URL) async throws {
        self.folder = folder
        let file = folder.appending(path: "server.log")
        try Data().write(to: file)
        log = try FileHandle(forWritingTo: file)
        try log.seekToEnd()
        serverLog = ServerLog(file: file)
        (process, port) = try await Self.start(folder, port: 0, log)
    }

    /// Kills the process with SIGKILL.
    func kill() async { await process.kill() }

    /// Restarts the server on the same data and port.
    func restart() async throws { (process, _) = try await Self.start(folder, port: port, log) }

    func terminate() async { await process.terminate() }

    private static func start(_ folder: URL, port: Int, _ log: FileHandle) async throws -> (ChildProcess, Int) {
        let process = try ChildProcess(
            [
                "serve", "--port", "\(port)", "--data", folder.appending(path: "data").path,
                "--access-ttl", "3s", "--log-level", "debug", "--until-stdin-closes",
            ],
            keepsInputOpen: true,
            log: log
        )
        for await line in process.lines {
            if let url = line.split(separator: " ").last.flatMap({ URL(string: String($0)) }), let port = url.port {
                return (process, port)
            }
        }
        throw ToolError.network("the demo's server did not start: \(await process.wait().output)")
    }
}
