// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// `freshet backup`: copies the database of a running server.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a server's database into a new file, while the server goes on working.",
        discussion: """
            The keys in the data folder are not in it, and neither alone is of use to a thief: keep a copy of them elsewhere. \
            To restore, stop the server, put the copy in the place of freshet.sqlite, delete freshet.sqlite-wal and \
            freshet.sqlite-shm, and start it. Clients that went on since roll their sessions forward.

            Example:
              freshet backup ./freshet-2026-11-21.sqlite --data ./freshet-data
            """
    )

    @OptionGroup var options: DataOptions
    @Argument(help: "The file to be made.") var file: String

    func run() async throws {
        let url = URL(filePath: file)
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError.usage("\(file) is there already")
        }
        try await DataOptions.withAdminService(options.folder) { try $0.backup(to: url) }
        if options.json { return try Output.json(["backup": url.path]) }
        Output.note("Copied to \(url.path).")
    }
}
