// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetMetrics

extension ServerConfiguration {
    /// Opens the server's database, and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - metrics: Told how long commits take.
    ///   - onProgress: Told why that takes a while.
    /// - Returns: the database, ready to work.
    /// - Throws: `StartupError`, or whatever SQLite says.
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
