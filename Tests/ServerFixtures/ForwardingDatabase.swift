// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetWire

/// A database that passes everything to another one, but for the methods that a type implements itself.
package protocol ForwardingDatabase: ServerDatabase {
    var base: any ServerDatabase { get }
}

extension ForwardingDatabase {
    package func enqueueBestEffort(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Void,
        otherwise dropped: @escaping @Sendable () -> Void
    ) {
        base.enqueueBestEffort(body, otherwise: dropped)
    }

    package func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws
        -> Value
    {
        try await base.read(body)
    }

    package func query<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        base.query(body, completion: completion)
    }

    package func readNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try base.readNow(body)
    }

    package func durably<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await base.durably(body)
    }

    package func change<Value: Sendable>(
        _ id: SessionID,
        _ decide: @escaping @Sendable (SessionRow) -> SessionChange<Value>,
        completion: @escaping @Sendable (Result<Value?, any Error>) -> Void
    ) {
        base.change(id, decide, completion: completion)
    }

    package func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await base.backgroundWrite(body)
    }

    package func writeNow<Value: Sendable>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try base.writeNow(body)
    }

    package func checkpoint() async { await base.checkpoint() }
    package var mayLoseCommits: Bool { base.mayLoseCommits }
    package var queueLength: Int { base.queueLength }
    package var commits: Int { base.commits }
    package var flushes: Int { base.flushes }
    package var sizes: [(part: String, bytes: Int)] { base.sizes }
    package func copy(to file: URL) throws { try base.copy(to: file) }
    package func failWaitingCommits() { base.failWaitingCommits() }
    package func close() throws { try base.close() }
    package func detach() throws { try base.detach() }
}
