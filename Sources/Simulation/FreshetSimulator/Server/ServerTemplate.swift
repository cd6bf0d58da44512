// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetDatabase
    import FreshetEngine
    import FreshetIdentity
    import FreshetServer

    /// A server's data as its first start leaves it, from which the servers of all histories are copied.
    ///
    /// Creating keys and tables takes longer than a history.
    final class ServerTemplate {
        let disk: SimulatedDisk
        /// The folder with the keys.
        let folder: URL
        /// The file with the registered OAuth clients.
        var clients: URL { folder.appending(path: "clients.json") }

        init() throws {
            // In memory: creating a key flushes its file.
            let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
            folder = URL(filePath: parent).appending(path: "freshet-simulator-\(getpid())")
            disk = SimulatedDisk()
            let connection = try disk.open()
            try connection.createTables()
            SimulatedDisk.close(connection)
            let host = DatabaseHost(disk, MachineClock(Oscillator())) { .zero }
            try host.open()
            let database = SimulatedDatabase(on: host)
            _ = try ServerCore(
                ServerProcess.configuration(folder),
                log: Mailbox().log,
                clock: ClockSource { .simulated },
                environment: ServerProcess.environment(database)
            )
            database.kill()
            try Data(OAuthForm.registry.utf8).write(to: clients)
            // Each copy would otherwise have the WAL of all migrations, which each of its starts reads.
            let checkpoint = try disk.open()
            defer { SimulatedDisk.close(checkpoint) }
            try checkpoint.runScript("PRAGMA wal_checkpoint(TRUNCATE)")
        }

        /// Copies the folder with the keys, for a history in which they change.
        func copyFolder(_ name: String) -> URL {
            let copy = folder.appendingPathExtension(name)
            try? FileManager.default.removeItem(at: copy)
            do { try FileManager.default.copyItem(at: folder, to: copy) } catch {
                fatalError("no copy of the keys: \(error)")
            }
            return copy
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }
#endif
