// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq

/// A result of libpq, freed when its last reference is released.
final class PostgresResult {
    let handle: OpaquePointer

    init(handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The first row; `nil` if there is none.
    var first: PostgresRow? { PQntuples(handle) > 0 ? PostgresRow(self, row: 0) : nil }

    /// The number of rows that were written or deleted.
    var changed: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The command tag, such as `COMMIT`.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    func field(_ field: Character) -> String? {
        guard let code = field.asciiValue else { return nil }
        return PQresultErrorField(handle, Int32(code)).map { String(cString: $0) }
    }
}

extension SQLError {
    /// Returns an error for a lost connection: it is unknown whether the last query took effect.
    package static func connectionLost(_ message: String) -> SQLError {
        SQLError(kind: .transient, code: lostConnection, message: message)
    }

    private static let lostConnection = "PostgreSQL 08006"

    /// Whether the connection was lost, so that the last query may have taken effect.
    package var isConnectionLoss: Bool { code == Self.lostConnection }

    /// The transaction conflicted with others in every attempt.
    static let busy = SQLError(
        kind: .transient,
        code: "PostgreSQL 40001",
        message: "the transaction conflicted with others in every attempt"
    )

    /// Converts the server's error, without its detail, which may contain a row's values.
    init(_ result: PostgresResult) {
        let state = result.field("C") ?? "?????"
        let kind: Kind =
            switch state.prefix(2) {
            // Errors of connections, read-only servers, conflicts, resources, locks and operator interventions.
            case "08", "25", "40", "53", "55", "57", "58": .transient
            case "XX" where state != "XX000": .damaged
            default: .other
            }
        self.init(kind: kind, code: "PostgreSQL \(state)", message: result.field("M") ?? "")
    }

    /// Whether the transaction conflicted with another one, so that a retry can succeed.
    ///
    /// Two concurrent transactions that insert the same key may get a unique violation (23505) instead of a
    /// serialisation failure.
    var isConflict: Bool { ["PostgreSQL 40001", "PostgreSQL 40P01", "PostgreSQL 23505"].contains(code) }

    /// Whether a lock was not available within `lock_timeout`.
    var isLockTimeout: Bool { code == "PostgreSQL 55P03" }

    /// Whether the connection is unusable from now on: it may lead to a former primary.
    var endsConnection: Bool { code.hasPrefix("PostgreSQL 57P") || code == "PostgreSQL 25006" }
}
