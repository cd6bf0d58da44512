// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

extension SessionColumn {
    /// Binds the parameters of ``insertion``.
    static func bind(_ binder: inout some SQLBinder, inserting row: SessionRow) throws {
        for column in allCases { try column.bind(row, to: &binder) }
    }

    /// Binds the parameters of ``replacement``.
    static func bind(_ binder: inout some SQLBinder, replacing old: SessionRow, by new: SessionRow) throws {
        for column in replaced { try column.bind(new, to: &binder) }
        try SessionColumn.id.bind(old, to: &binder)
        for column in compared { try column.bind(old, to: &binder) }
    }

    /// Binds the value of this column in a row.
    private func bind(_ row: SessionRow, to binder: inout some SQLBinder) throws {
        switch self {
        case .id: try binder.bits(row.id.bits)
        case .user: try binder.uuid(row.user)
        case .salt: try binder.bits(row.salt)
        case .mode: try binder.integer(row.rotation.mode.rawValue)
        case .current: try binder.count(row.rotation.current)
        case .branch: try binder.count(row.rotation.branch)
        case .intent: try binder.optional(row.rotation.intent) { try $0.bits($1.bits) }
        case .next: try binder.count(row.rotation.next)
        case .successorKeyID: try binder.integer(Int64(row.rotation.successorKeyID))
        case .boundAt: try binder.timestamp(row.rotation.boundAt)
        case .provedAt: try binder.timestamp(row.rotation.provedAt)
        case .createdAt: try binder.timestamp(row.createdAt)
        case .lastUsedAt: try binder.timestamp(row.lastUsedAt)
        case .idleExpiry: try binder.timestamp(row.idleExpiry)
        case .absoluteExpiry: try binder.timestamp(row.absoluteExpiry)
        case .endedAt: try binder.optional(row.ending?.at) { try $0.timestamp($1) }
        case .reason: try binder.optional(row.ending?.reason.rawValue) { try $0.text($1) }
        case .device: try binder.text(StoredDevice.text(of: row.device))
        case .contract: try binder.optional(row.contract) { try $0.text($1) }
        case .place: try binder.optional(row.place) { try $0.text($1) }
        case .method: try binder.optional(row.method) { try $0.text($1) }
        case .streakSince: try binder.optional(row.run?.since) { try $0.timestamp($1) }
        case .streakAt: try binder.optional(row.run?.at) { try $0.timestamp($1) }
        case .streakTimes: try binder.optional(row.run?.times) { try $0.integer(Int64($1)) }
        case .streakGeneration: try binder.optional(row.run?.generation) { try $0.count($1) }
        case .streakSource: try binder.address(row.run?.source)
        }
    }
}

extension SessionRow {
    /// Reads a row of a statement that returns ``SessionColumn/list``.
    ///
    /// - Throws: `SQLError` of kind `damaged` for a row that no version writes.
    init(_ row: some SQLRow) throws {
        typealias Column = SessionColumn
        let intent: Bits128? = try row[Column.intent.position]
        let endedAt: Timestamp? = try row[Column.endedAt.position]
        let reason: String? = try row[Column.reason.position]
        // An end may have any reason; no version writes a reason without an end.
        guard endedAt != nil || reason == nil else { throw SessionTable.damaged }
        self.init(
            id: try row[Column.id.position],
            user: try row[Column.user.position],
            contract: try row[Column.contract.position],
            salt: try row[Column.salt.position],
            rotation: RotationState(
                mode: RotationState.Mode(stored: try row[Column.mode.position]),
                current: UInt64(clamping: try row[Column.current.position] as Int64),
                branch: UInt64(clamping: try row[Column.branch.position] as Int64),
                intent: intent.map(IntentHash.init),
                next: UInt64(clamping: try row[Column.next.position] as Int64),
                successorKeyID: UInt8(clamping: try row[Column.successorKeyID.position] as Int64),
                boundAt: try row[Column.boundAt.position],
                provedAt: try row[Column.provedAt.position]
            ),
            device: try StoredDevice.device(try row[Column.device.position]),
            createdAt: try row[Column.createdAt.position],
            lastUsedAt: try row[Column.lastUsedAt.position],
            idleExpiry: try row[Column.idleExpiry.position],
            absoluteExpiry: try row[Column.absoluteExpiry.position],
            ending: endedAt.map { SessionRow.Ending(at: $0, reason: EndReason(stored: reason)) },
            run: try RefreshStreak(row),
            place: try row[Column.place.position],
            method: try row[Column.method.position]
        )
    }
}

extension RefreshStreak {
    /// Reads the streak of a session; `nil` if it has none.
    fileprivate init?(_ row: some SQLRow) throws {
        typealias Column = SessionColumn
        guard let since: Timestamp = try row[Column.streakSince.position] else { return nil }
        self.init(
            since: since,
            at: try row[Column.streakAt.position],
            times: try row[Column.streakTimes.position],
            generation: UInt64(clamping: try row[Column.streakGeneration.position] as Int64),
            source: try row[Column.streakSource.position]
        )
    }
}
