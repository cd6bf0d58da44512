// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

/// A connection to the database inside a transaction, by which tables read and write.
///
/// Statements are in the SQL that SQLite and PostgreSQL have in common, with `?` (or `?1`, `?2` ...) for parameters. A
/// connection is used by one thread at a time, and never after the body that it was passed to.
package protocol SQLConnection: AnyObject {
    /// Runs a query, and passes its rows to `body` until that returns `false`.
    ///
    /// - Parameters:
    ///   - sql: One statement. It is prepared once and cached, so its text must be a constant.
    ///   - values: The statement's parameters.
    ///   - body: Reads a row, which is valid only during the call; returns whether it wants the next one.
    /// - Throws: `SQLError`, or the error of `body`.
    func visit(
        _ sql: String,
        _ values: [(any SQLConvertible)?],
        _ body: (any SQLRow) throws -> Bool
    ) throws

    /// Executes a statement that returns no rows.
    ///
    /// - Returns: The number of rows that were written or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: [(any SQLConvertible)?]) throws -> Int

    /// The clause with which a query for rows to delete skips rows that another server has locked.
    var skippingLocked: String { get }
    /// Whether sessions are stored by `rowid`, in whose order they are read fastest; otherwise by id.
    var hasRowIDs: Bool { get }
    /// The SQL expression on which the index of old events is built; its value is never later than `at`.
    var eventAgeExpression: String { get }
    /// The query for the server's clock in milliseconds since 1970; `nil` if the server is this process.
    var serverTimeQuery: String? { get }
}

extension SQLConnection {
    @discardableResult
    func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// Returns the values that `read` produces from the rows of a query.
    package func rows<Value>(
        _ sql: String,
        _ values: [(any SQLConvertible)?] = [],
        _ read: (any SQLRow) throws -> Value
    ) throws -> [Value] {
        var found: [Value] = []
        try visit(sql, values) { row in
            found.append(try read(row))
            return true
        }
        return found
    }

    /// Returns the value that `read` produces from a query's first row; `nil` without a row.
    func row<Value>(
        _ sql: String,
        _ values: [(any SQLConvertible)?] = [],
        _ read: (any SQLRow) throws -> Value
    ) throws -> Value? {
        var found: Value?
        try visit(sql, values) { row in
            found = try read(row)
            return false
        }
        return found
    }

    /// Returns the time of the database's server; `nil` if that is this machine's own clock.
    package func serverTime() throws -> Timestamp? {
        guard let query = serverTimeQuery else { return nil }
        return try number(query).map { Timestamp(milliseconds: $0) }
    }

    /// Returns whether a query has a row.
    package func has(_ sql: String, _ values: [(any SQLConvertible)?] = []) throws -> Bool {
        try row(sql, values) { _ in } != nil
    }

    /// Returns the number in the first row of a query; `nil` without a row, or for null.
    func number(_ sql: String, _ values: [(any SQLConvertible)?] = []) throws -> Int64? {
        try row(sql, values) { row -> Int64? in try row[0] } ?? nil
    }
}
