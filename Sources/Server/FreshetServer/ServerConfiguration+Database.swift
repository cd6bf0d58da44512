// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetMetrics

extension ServerConfiguration {
    /// Opens the server's database and migrates it.
    ///
    /// - Parameters:
    ///   - metrics: Records the duration of commits.
    ///   - onProgress: Called with the reason when opening takes long.
    /// - Returns: The database, ready for use.
    /// - Throws: `StartupError`, or SQLite's errors.
    func openDatabase(
        _ metrics: ServerMetrics? = nil,
        onProgress: (StartupProgress) -> Void = { _ in }
    ) throws -> any ServerDatabase {
        guard let database else {
            return try SQLiteDatabase(
                in: dataDirectory,
                limits: operations.admission,
                metrics: metrics,
                lockTimeout: lockTimeout,
                onProgress: onProgress
            )
        }
        return try PostgresDatabase(database, limits: operations.admission, metrics: metrics, onProgress: onProgress)
    }
}
