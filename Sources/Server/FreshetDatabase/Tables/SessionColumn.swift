// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The columns of `sessions`, in the order in which statements list them.
///
/// Statements, and the positions of their parameters and result columns, are derived from this list.
enum SessionColumn: Int, CaseIterable {
    case id, user, salt, mode, current, branch, intent, next, successorKeyID, boundAt, provedAt, createdAt, lastUsedAt
    case idleExpiry, absoluteExpiry, endedAt, reason, device, contract, place, method
    case streakSince, streakAt, streakTimes, streakGeneration, streakSource

    /// The role of a column in ``replacement``.
    enum Role {
        /// Never changes after sign-in, or only by a separate statement.
        case fixed
        /// Is set to the new value.
        case replaced
        /// Is set to the new value, if it has the old one.
        case compared(isNullable: Bool)
    }

    private var definition: (name: String, role: Role) {
        switch self {
        case .id: ("id", .fixed)
        case .user: (#""user""#, .fixed)
        case .salt: ("salt", .fixed)
        case .mode: ("mode", .compared(isNullable: false))
        case .current: ("cur", .compared(isNullable: false))
        case .branch: ("branch", .compared(isNullable: false))
        case .intent: ("intent", .compared(isNullable: true))
        case .next: ("next", .compared(isNullable: false))
        case .successorKeyID: ("successor_kid", .replaced)
        case .boundAt: ("bound_at", .replaced)
        case .provedAt: ("proved_at", .replaced)
        case .createdAt: ("created_at", .fixed)
        case .lastUsedAt: ("last_used_at", .replaced)
        case .idleExpiry: ("idle_end", .replaced)
        case .absoluteExpiry: ("absolute_end", .fixed)
        case .endedAt: ("ended_at", .replaced)
        case .reason: ("reason", .replaced)
        case .device: ("device", .fixed)
        case .contract: ("dialect", .fixed)
        case .place: ("place", .fixed)
        case .method: ("method", .fixed)
        case .streakSince: ("run_since", .replaced)
        case .streakAt: ("run_at", .compared(isNullable: true))
        case .streakTimes: ("run_times", .compared(isNullable: true))
        case .streakGeneration: ("run_generation", .replaced)
        case .streakSource: ("run_source", .compared(isNullable: true))
        }
    }

    /// The column's name in SQL.
    var name: String { definition.name }
    private var role: Role { definition.role }
    /// The column's position in the rows that ``SessionTable/byID`` returns.
    var position: Int { rawValue }

    /// The columns whose value ``replacement`` sets.
    static let replaced = allCases.filter { if case .fixed = $0.role { false } else { true } }
    /// The columns whose old value ``replacement`` compares.
    static let compared = allCases.filter { if case .compared = $0.role { true } else { false } }
    /// The columns of a session's ``RefreshStreak``.
    static let streak: [SessionColumn] = [.streakSince, .streakAt, .streakTimes, .streakGeneration, .streakSource]

    // MARK: - Statements

    /// All names, as in a `SELECT`.
    static let list = allCases.map(\.name).joined(separator: ", ")

    static let insertion = """
        INSERT INTO sessions (\(list)) VALUES (\(allCases.map { _ in "?" }.joined(separator: ", ")))
        """

    /// Replaces a row if it has not changed since the decision.
    ///
    /// It must be one conditional write: with any other, the model violates the protocol's properties
    /// (`Models/confirmed.pml`, `A_NONATOMIC`).
    static let replacement = """
        UPDATE sessions SET \(replaced.map { "\($0.name) = ?" }.joined(separator: ", ")) \
        WHERE id = ? AND \(compared.map(\.comparison).joined(separator: " AND ")) AND ended_at IS NULL
        """

    private var comparison: String {
        if case .compared(isNullable: true) = role { "\(name) IS NOT DISTINCT FROM ?" } else { "\(name) = ?" }
    }
}
