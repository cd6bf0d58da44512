// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A statement and its parameters.
struct PostgresQuery {
    var sql: String
    var values: [(any SQLConvertible)?]

    init(_ sql: String, _ values: [(any SQLConvertible)?] = []) {
        self.sql = sql
        self.values = values
    }
}
