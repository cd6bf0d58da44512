// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

/// A connection to the database, inside a transaction: what tables read and write through.
///
/// SQL is what SQLite and PostgreSQL have in common, with `?` (or `?1`, `?2` ...) for values. A connection is used by one
/// thread at a time, and by nobody after the body that was given it.
package protocol SQLConnection: AnyObject {
    /// Runs a query, and shows `body` its rows until it has seen enough.
    ///
    /// - Parameters:
    ///   - sql: One statement; it is prepared once and kept, so its text is a constant.
    ///   - values: What its marks stand for.
    ///   - body: Reads a row, which is gone when it returns; says whether it wants the next one.
    /// - Throws: `SQLError`, or what `body` throws.
    func visit(
        _ sql: String,
        _ values: [(any SQLConvertible)?],
        _ body: (any SQLRow) throws -> Bool
    ) throws

    /// Runs a statement that has no rows.
    ///
    /// - Returns: how many rows were written or deleted.
    @discardableResult
    func execute(_ sql: String, _ values: [(any SQLConvertible)?]) throws -> Int

    /// What a choice of rows to be deleted ends with, so that servers that clean up at one time choose different ones.
    var skippingLocked: String { get }
    /// Whether sessions lie by a number of their row, `rowid`, in whose order they are read fastest; by their ids otherwise.
    var hasRowIDs: Bool { get }
    /// What of an event the index for old ones goes by; it is no younger than `at`.
    var eventAgeExpression: String { get }
    /// How the clock of the database's server is read, in milliseconds since 1970; `nil` if the server is this process.
    var serverTimeQuery: String? { get }
}

extension SQLConnection {
    @discardableResult
    package func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// What `read` makes of each row of a query.
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

    /// What `read` makes of the first row of a query; `nil` if it has none.
    package func row<Value>(
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

    /// What the clock of the database's server shows; `nil` if that is this machine's own.
    package func serverTime() throws -> Timestamp? {
        guard let query = serverTimeQuery else { return nil }
        return try number(query).map { Timestamp(milliseconds: $0) }
    }

    /// Whether a query has a row.
    package func has(_ sql: String, _ values: [(any SQLConvertible)?] = []) throws -> Bool {
        try row(sql, values) { _ in } != nil
    }

    /// The number in the first row of a query; `nil` if there is no row, or none in it.
    package func number(_ sql: String, _ values: [(any SQLConvertible)?] = []) throws -> Int64? {
        try row(sql, values) { row -> Int64? in try row[0] } ?? nil
    }
}
