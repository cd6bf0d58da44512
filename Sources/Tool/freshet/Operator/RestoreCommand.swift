// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetDatabase
import FreshetIdentity
import FreshetServer
import FreshetSystem

/// `freshet restore`: replaces the database of a stopped server by a copy.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces a stopped server's database by a copy that freshet backup wrote.",
        discussion: """
            It refuses while a server uses the data folder, and a damaged copy. The previous database is kept as \
            freshet.sqlite.before-TIME. Keys are not part of the copy: restore them first, if they are lost.

            Users whose sessions were refreshed after the copy stay signed in; those who signed in after it have to \
            sign in again.

            Example:
              freshet restore ./freshet-2026-11-21.sqlite --data ./freshet-data
            """
    )

    @OptionGroup var options: DataOptions
    @Argument(help: "The copy; it is not changed.", completion: .file()) var file: String

    func run() async throws {
        guard try DataOptions.database() == nil else {
            throw ToolError.usage("pg_restore restores a PostgreSQL database")
        }
        let copy = URL(filePath: file)
        let attributes = try? FileManager.default.attributesOfItem(atPath: copy.resolvingSymlinksInPath().path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            FileManager.default.isReadableFile(atPath: copy.path)
        else { throw ToolError.storeUnavailable("\(file): not a file that can be read") }
        let folder = options.folder
        try DataOptions.require(folder)
        let time = Date().ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
        // Two restores in one second.
        let names = (0..<100).map { "before-\(time)" + ($0 == 0 ? "" : "-\($0)") }
        let suffix = names.first { !FileManager.default.fileExists(atPath: "\(folder.path)/freshet.sqlite.\($0)") }
        let previous: URL?
        do {
            previous = try await ProgressLine.during({ "" }) { progress in
                progress.show("checking \(file)")
                return try SQLiteDatabase.restore(copy, in: folder, keepingPreviousAs: suffix ?? names[0]) {
                    try AdminService.checkCopy($0, in: folder)
                }
            }
        } catch DatabaseStartupError.folderInUse(let lock) {
            throw ToolError.storeUnavailable("\(lock): a server works on this data folder: stop it first")
        } catch let error as any StartupError {
            throw ToolError(error)
        } catch {
            throw ToolError.storeUnavailable("\(folder.path): cannot be restored (\(ToolError.reason(of: error)))")
        }
        let restored = folder.appending(path: "freshet.sqlite").path
        if options.json { return try Output.json(["restored": restored, "previous": previous?.path]) }
        Output.note("Restored \(restored)\(previous.map { "; the previous database is \($0.path)" } ?? "").")
    }
}
