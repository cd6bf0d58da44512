// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetDatabase

    /// A disk with a database, and the process that has it open: a server's own, or a database server's.
    ///
    /// Runs work in order, each piece as a step of its own, some time after the one before.
    final class DatabaseHost: @unchecked Sendable {
        /// Work with the connection, or with the error if there is none.
        typealias Work = @Sendable (Result<SQLiteConnection, any Error>) -> Void

        private(set) var disk: SimulatedDisk
        let clock: MachineClock
        /// The time that the next piece of work takes.
        private let delay: () -> Duration
        private var connection: SQLiteConnection?
        private var waiting: [Work] = []

        init(_ disk: SimulatedDisk, _ clock: MachineClock, delay: @escaping () -> Duration) {
            self.disk = disk
            self.clock = clock
            self.delay = delay
        }

        var isOpen: Bool { connection != nil }

        /// Opens the database, unless it is open.
        ///
        /// - Throws: `DiskFault` if SQLite cannot open it, for example because the disk is full.
        func open() throws {
            guard connection == nil else { return }
            connection = try disk.open()
        }

        /// Ends the process.
        ///
        /// Work that has not begun fails; an open transaction has been committed or is lost.
        func close() {
            connection.take().map(SimulatedDisk.close)
        }

        /// Ends the process, and goes on with another disk, such as that of a standby.
        func replace(with disk: SimulatedDisk) {
            close()
            self.disk = disk
        }

        func submit(_ work: @escaping Work) {
            waiting.append(work)
            if waiting.count == 1 { schedule() }
        }

        private func schedule() {
            SimulationExecutor.shared.schedule(after: isOpen ? delay() : .zero) { [self] in
                let work = waiting.removeFirst()
                if !waiting.isEmpty { schedule() }
                work(Result { try current() })
            }
        }

        /// The open connection.
        ///
        /// - Throws: `ProcessEnded` if there is none.
        func current() throws -> SQLiteConnection {
            guard let connection else { throw ProcessEnded() }
            return connection
        }
    }

    /// The error of everything that a killed process still attempts.
    struct ProcessEnded: Error {}
#endif
