// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq
import Foundation
import FreshetEngine
import FreshetWire

/// A connection to PostgreSQL, with its prepared statements.
///
/// One thread at a time uses it. Outside a transaction, each statement is a separate transaction, which the server
/// confirms before it is on disk.
final class PostgresConnection: SQLConnection, PipelinedConnection, @unchecked Sendable {
    // Unchecked: a thread of the pool or a lock ensures that one thread uses it at a time.
    private let handle: OpaquePointer
    /// Lets another thread end the connection.
    let socket: PostgresSocket
    /// The names of the prepared statements, by their text.
    private var statements: [String: String] = [:]

    /// Connects to the first of several hosts that accepts writes.
    ///
    /// - Parameters:
    ///   - configuration: The address and the timeouts.
    ///   - lockTimeout: The time for which a statement waits for a lock; `nil` for no other limit than its own.
    /// - Throws: `SQLError` of kind `transient`.
    init(_ configuration: PostgresConfiguration, lockTimeout: Duration? = nil) throws {
        // Options before the address are its defaults; options after it override it. If the network drops packets, a
        // query fails after ten seconds, whether the query or its response was lost. If the response was lost, only
        // keepalive probes are sent, which Linux sends 75 seconds apart by default.
        let options: KeyValuePairs = [
            "connect_timeout": "\(Self.seconds(configuration.connectTimeout))", "tcp_user_timeout": "10000",
            "keepalives_idle": "5", "keepalives_interval": "5", "target_session_attrs": "read-write",
            "application_name": "freshet", "dbname": configuration.address, "client_encoding": "UTF8",
        ]
        let names = options.map { strdup($0.key) }
        let values = options.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        let connection = PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil],
            values.map { UnsafePointer($0) } + [nil],
            1
        )
        guard let connection else { throw SQLError.connectionLost("no memory") }
        guard PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            let parts = String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isWhitespace)
            throw SQLError.connectionLost(parts.joined(separator: " "))
        }
        // By default, libpq writes the server's notices to the standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        do { socket = try PostgresSocket(duplicating: PQsocket(connection)) } catch {
            PQfinish(connection)
            throw error
        }
        handle = connection
        let limit = max(1, Int(configuration.statementTimeout / .milliseconds(1)))
        // Plans are cached, and the first ones are made while the tables are empty: without sequential scans they use
        // the indexes even then. A sequential scan would also make a serialisable transaction conflict with every other
        // writer of the table.
        try run(
            """
            SET synchronous_commit = off; SET statement_timeout = \(limit); \
            SET idle_in_transaction_session_timeout = \(2 * limit); SET enable_seqscan = off
            """
        )
        if let lockTimeout { try run("SET lock_timeout = \(max(1, Int(lockTimeout / .milliseconds(1))))") }
    }

    private static func seconds(_ span: Duration) -> Int64 { max(2, (span + .milliseconds(999)).components.seconds) }

    deinit { PQfinish(handle) }

    private var isUsable = true
    /// The statements that are sent with the next query, before it.
    private var pending: [PostgresQuery] = []

    /// Whether the connection is open, as of its last use.
    var isOpen: Bool { isUsable && PQstatus(handle) == CONNECTION_OK }

    /// Whether the connection is still open, after reading the server's pending messages.
    ///
    /// The first read takes the server's last messages, the second one detects that it closed the connection.
    var isAlive: Bool { isOpen && PQconsumeInput(handle) == 1 && PQconsumeInput(handle) == 1 && isOpen }

    func visit(
        _ sql: String,
        _ values: [(any SQLConvertible)?],
        _ body: (any SQLRow) throws -> Bool
    ) throws {
        let result = try query(PostgresQuery(sql, values))
        for row in 0..<PQntuples(result.handle) {
            if try !body(PostgresRow(result, row: row)) { return }
        }
    }

    @discardableResult
    func execute(_ sql: String, _ values: [(any SQLConvertible)?]) throws -> Int {
        try query(PostgresQuery(sql, values)).changed
    }

    var skippingLocked: String { " FOR UPDATE SKIP LOCKED" }
    var hasRowIDs: Bool { false }
    var serverTimeQuery: String? { "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint" }
    var eventAgeExpression: String { "born" }

    /// Executes statements without parameters, and discards their rows.
    ///
    /// - Returns: The command tag of the last one.
    @discardableResult
    func run(_ sql: String) throws -> String { try check(PQexec(handle, sql)).command }

    // MARK: - Transactions

    /// Makes the current transaction durable before its commit is confirmed.
    ///
    /// The setting of the database or user determines the degree: `on`, or `remote_apply` for a standby that serves
    /// reads.
    static let durable = "SET LOCAL synchronous_commit TO DEFAULT"

    /// Runs `body` in a transaction, which begins in one message with its first query.
    func transaction<Value>(_ begin: [String], _ body: () throws -> Value) throws -> Value {
        pending = begin.map { PostgresQuery($0) }
        do {
            let value = try body()
            if pending.isEmpty {
                // COMMIT in a failed transaction rolls back and reports so in its command tag, without an error.
                guard try query(PostgresQuery("COMMIT")).command == "COMMIT" else {
                    throw SQLError(kind: .other, code: "PostgreSQL 25P02", message: "the transaction was given up")
                }
            }
            pending = []
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Rolls back a failed transaction, if there is one.
    func rollBack() {
        pending = []
        if isOpen, PQtransactionStatus(handle) != PQTRANS_IDLE { _ = try? run("ROLLBACK") }
    }

    // MARK: - Queries

    func sessions(_ ids: [SessionID]) throws -> [Result<SessionRow?, any Error>] {
        try query(ids.map { PostgresQuery(SessionTable.byID, [$0]) }).map { answer in
            Result { try answer.first.map { try SessionRow($0) } }
        }
    }

    func execute(_ statements: [PostgresQuery], isDurable: Bool) throws -> [Int] {
        guard isDurable else { return try query(statements).map(\.changed) }
        let before = [PostgresQuery("BEGIN"), PostgresQuery(Self.durable)]
        let answers = try query(before + statements + [PostgresQuery("COMMIT")])
        return answers[before.count..<before.count + statements.count].map(\.changed)
    }

    private func query(_ question: PostgresQuery) throws -> PostgresResult {
        if pending.isEmpty {
            let name = try prepared(question.statement)
            let parameters = PostgresParameters(question.parameters)
            return try parameters.withPointers { values, lengths, formats in
                try check(PQexecPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1))
            }
        }
        let questions = pending + [question]
        pending = []
        guard let last = try query(questions).last else { throw SQLError.connectionLost("no answer") }
        return last
    }

    /// Sends all queries in one pipeline; outside a transaction, they form one transaction.
    ///
    /// - Returns: The results, in the order of the queries.
    private func query(_ questions: [PostgresQuery]) throws -> [PostgresResult] {
        // Statements cannot be prepared in pipeline mode.
        let names = try questions.map { try prepared($0.statement) }
        guard PQenterPipelineMode(handle) == 1 else { throw SQLError.connectionLost("the connection is busy") }
        for (name, question) in zip(names, questions) {
            let parameters = PostgresParameters(question.parameters)
            let isSent = try parameters.withPointers { values, lengths, formats in
                PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1) == 1
            }
            guard isSent else { throw connectionLost() }
        }
        guard PQpipelineSync(handle) == 1 else { throw connectionLost() }
        var answers: [PostgresResult] = []
        var failure: (any Error)?
        for _ in questions {
            do { answers.append(try check(PQgetResult(handle))) } catch {
                // The queries after the first failed one are only reported as aborted.
                if failure == nil { failure = error }
            }
            // A null result marks the end of each query's results.
            while let rest = PQgetResult(handle) {
                if PQresultStatus(rest) == PGRES_PIPELINE_SYNC {
                    PQclear(rest)
                    throw connectionLost()
                }
                PQclear(rest)
            }
            guard isOpen else { throw failure ?? connectionLost() }
        }
        // Any other result says that the pipeline's transaction failed at its commit.
        guard let end = PQgetResult(handle) else { throw connectionLost() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw connectionLost() }
        guard PQexitPipelineMode(handle) == 1 else { throw connectionLost() }
        if let failure { throw failure }
        return answers
    }

    /// Marks the connection as unusable, because its state is unknown, and returns the error.
    private func connectionLost() -> SQLError {
        isUsable = false
        let parts = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isWhitespace)
        return SQLError.connectionLost(parts.isEmpty ? "the connection ended" : parts.joined(separator: " "))
    }

    private func prepared(_ sql: String) throws -> String {
        if let name = statements[sql] { return name }
        let name = "s\(statements.count)"
        _ = try check(PQprepare(handle, name, Self.numbered(sql), 0, nil))
        statements[sql] = name
        return name
    }

    /// Returns a statement with PostgreSQL's parameters: `$1` for `?1`, and for the first `?`.
    ///
    /// No statement contains a question mark that is not a parameter.
    static func numbered(_ sql: String) -> String {
        var count = 0
        var numbered: [UInt8] = []
        let text = Array(sql.utf8)
        for (index, byte) in text.enumerated() {
            guard byte == UInt8(ascii: "?") else {
                numbered.append(byte)
                continue
            }
            numbered.append(UInt8(ascii: "$"))
            let next = index + 1 < text.count ? text[index + 1] : 0
            if next >= UInt8(ascii: "0"), next <= UInt8(ascii: "9") { continue }
            count += 1
            numbered += String(count).utf8
        }
        return String(decoding: numbered, as: UTF8.self)
    }

    private func check(_ handle: OpaquePointer?) throws -> PostgresResult {
        guard let handle else { throw connectionLost() }
        let result = PostgresResult(handle: handle)
        switch PQresultStatus(handle) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return result
        default:
            guard isOpen else { throw SQLError.connectionLost("the connection ended") }
            let error = SQLError(result)
            if error.endsConnection { isUsable = false }
            throw error
        }
    }
}
