// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

@testable import FreshetDatabase

/// A database that queues best-effort writes until a test runs or drops them.
final class DatabaseWithHeldWrites: ServerDatabase {
    private struct Held: Sendable {
        let body: @Sendable (any SQLConnection) throws -> Void
        let dropped: @Sendable () -> Void
    }

    private let base: any ServerDatabase
    private let held = NIOLockedValueBox<[Held]>([])

    init(_ base: any ServerDatabase) { self.base = base }

    /// The number of queued best-effort writes.
    var heldWrites: Int { held.withLockedValue { $0.count } }

    /// Runs the queued writes, each in a transaction.
    func runHeldWrites() throws {
        for write in takeHeldWrites() { try base.writeNow { try write.body($0) } }
    }

    /// Drops the queued writes, as a full queue does.
    func dropHeldWrites() {
        for write in takeHeldWrites() { write.dropped() }
    }

    /// Runs the queued writes and rolls them back, as a full disk does.
    func failHeldWrites() {
        struct DiskIsFull: Error {}
        for write in takeHeldWrites() {
            do {
                try base.writeNow { connection in
                    try write.body(connection)
                    throw DiskIsFull()
                }
            } catch {
                write.dropped()
            }
        }
    }

    private func takeHeldWrites() -> [Held] {
        held.withLockedValue { held in
            defer { held = [] }
            return held
        }
    }

    func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        held.withLockedValue { $0.append(Held(body: body, dropped: dropped)) }
    }

    // MARK: - Unchanged

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.read(body)
    }

    func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        base.query(body, completion: completion)
    }

    func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try base.readNow(body)
    }

    func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await base.durably(body)
    }

    func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        base.change(id, decide, completion: completion)
    }

    func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await base.backgroundWrite(body)
    }

    func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try base.writeNow(body)
    }

    func checkpoint() async { await base.checkpoint() }
    var queueLength: Int { base.queueLength }
    var commits: Int { base.commits }
    var flushes: Int { base.flushes }
    var sizes: [(part: String, bytes: Int)] { base.sizes }
    func copy(to file: URL) throws { try base.copy(to: file) }
    func close() throws { try base.close() }
    func detach() throws { try base.detach() }
}
