// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetDatabase
import FreshetIdentity
import FreshetServer
import FreshetSystem

/// `freshet backup`: copies the database of a running server.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a server's database into a new file while the server runs.",
        discussion: """
            The copy does not contain the keys. Back them up separately, in another place: an attacker needs both.

            To restore, stop the server, and give the copy to freshet restore.

            Example:
              freshet backup ./freshet-2026-11-21.sqlite --data ./freshet-data
            """
    )

    @OptionGroup var options: DataOptions
    @Argument(help: "The file to create.", completion: .file()) var file: String

    /// Returns the size of a file.
    private static func megabytes(_ file: URL) -> Int {
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size]) as? NSNumber
        return (size?.intValue ?? 0) / 1_000_000
    }

    func run() async throws {
        let url = URL(filePath: file)
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError.usage("\(file) exists already")
        }
        try DataOptions.require(url.deletingLastPathComponent())
        let source = options.folder.appending(path: "freshet.sqlite")
        let text: @Sendable () -> String = { "copied \(Self.megabytes(url)) of \(Self.megabytes(source)) MB" }
        try await ProgressLine.during(text) { _ in
            try await DataOptions.withAdminService(options.folder) { adminService in
                do { try adminService.backup(to: url) } catch let error as any StartupError {
                    throw error
                } catch {
                    let reason = ToolError.reason(of: error)
                    throw ToolError.storeUnavailable("the database cannot be copied to \(file) (\(reason))")
                }
                do { try adminService.recordBackup() } catch {
                    let reason = ToolError.reason(of: error)
                    Output.note("The time of this backup could not be recorded in the database (\(reason)).")
                }
            }
        }
        if options.json { return try Output.json(["backup": url.path]) }
        Output.note("Copied to \(url.path).")
    }
}
