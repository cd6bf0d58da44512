// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import CFreshetSimulator
    package import FreshetDatabase
    import GRDBSQLite

    /// The disk of a server's machine, with its SQLite database.
    package final class SimulatedDisk: @unchecked Sendable {
        private let handle: OpaquePointer

        /// Creates an empty disk.
        package init() { handle = freshet_disk_create() }

        private init(_ handle: OpaquePointer) { self.handle = handle }

        deinit { freshet_disk_destroy(handle) }

        /// Returns a disk with the same contents, all of which are flushed.
        func copy() -> SimulatedDisk { SimulatedDisk(freshet_disk_copy(handle)) }

        /// Opens the database, which must not be open.
        ///
        /// - Throws: `DiskFault` if SQLite cannot open it, for example because the disk is full.
        package func open() throws -> SQLiteConnection {
            guard let connection = freshet_disk_open(handle) else { throw DiskFault() }
            return SQLiteConnection(connection)
        }

        /// Closes a connection, without a checkpoint.
        package static func close(_ connection: SQLiteConnection) {
            connection.finalize()
            sqlite3_close(connection.handle)
        }

        /// The number of writes that a power failure may lose.
        var unflushedWrites: Int { Int(freshet_disk_unflushed(handle)) }

        /// Whether a power failure loses nothing, neither writes since the last flush nor those of one that failed.
        var isFlushed: Bool { freshet_disk_is_flushed(handle) }

        /// Loses the writes since the last flush, but for the first `survivors`.
        package func cutPower(survivors: Int) { freshet_disk_cut_power(handle, survivors) }

        /// Whether writes fail because the disk is full.
        var isFull = false {
            didSet { freshet_disk_set_full(handle, isFull) }
        }

        /// Whether flushes fail, each of which loses the writes since the one before.
        package var failsFlushes = false {
            didSet { freshet_disk_set_fails_flushes(handle, failsFlushes) }
        }
    }

    struct DiskFault: Error {}
#endif
