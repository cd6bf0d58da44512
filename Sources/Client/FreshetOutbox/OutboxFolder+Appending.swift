// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation
internal import FreshetKit

extension OutboxFolder {
    private typealias Batch = Result<[Draft], OutboxError>

    /// How many files are made durable at the same time: a disk does several in hardly more time than one.
    private static let parallelFiles = 8

    /// Puts items down, and makes them durable; each batch as a whole or not at all.
    ///
    /// The files are written before their numbers are drawn, so nobody waits for the disk under the lock.
    ///
    /// - Returns: For each batch the items, or why it could not be put down.
    /// - Throws: ``SessionStoreError`` if none could be.
    func append(
        _ batches: [[Draft]],
        at now: Date,
        within limits: OutboxConfiguration
    ) throws(SessionStoreError) -> Appended {
        if cachedState.number == nil { _ = try list() }
        let prepared = prepare(admit(batches, within: limits))
        var results: [Result<[OutboxEntry], OutboxError>] = []
        do throws(SessionStoreError) {
            results = try place(prepared, at: now)
            if results.contains(where: { (try? $0.get()) != nil }) { try waiting.syncDirectory() }
        } catch {
            for draft in prepared.flatMap({ (try? $0.get()) ?? [] }) { try? waiting.removeWithoutSync(draft.temporary) }
            for entry in results.flatMap({ (try? $0.get()) ?? [] }) { try? waiting.removeWithoutSync(entry.file) }
            throw error
        }
        let entries = results.flatMap { (try? $0.get()) ?? [] }
        known.withLock { known in
            known.items += entries.count
            known.bytes = known.bytes.adding(clamped: entries.totalBytes)
        }
        return Appended(batches: results, serial: nextSerial())
    }

    /// Those batches that there is room for.
    private func admit(_ batches: [[Draft]], within limits: OutboxConfiguration) -> [Batch] {
        var (items, bytes) = (cachedState.items, cachedState.bytes.adding(clamped: cachedState.deadBytes))
        return batches.map { batch in
            let size = batch.reduce(0) { $0 + $1.bytes.count }
            guard items + batch.count <= limits.maximumItems, bytes.adding(clamped: size) <= limits.maximumBytes else {
                return .failure(.full)
            }
            items += batch.count
            bytes += size
            return .success(batch)
        }
    }

    /// Writes what is to be put down under temporary names.
    private func prepare(_ batches: [Batch]) -> [Batch] {
        let drafts = batches.flatMap { (try? $0.get()) ?? [] }
        let faults = Locked<[UUID: SessionStoreError]>([:])
        Self.inParallel(drafts.count) { index in
            let draft = drafts[index]
            do throws(SessionStoreError) {
                try self.waiting.prepare(draft.bytes, as: draft.temporary)
            } catch {
                faults.withLock { $0[draft.id] = error }
            }
        }
        return batches.map { batch in
            guard let drafts = try? batch.get() else { return batch }
            let known = faults.withLock { $0 }
            guard let fault = drafts.compactMap({ known[$0.id] }).first else { return batch }
            for draft in drafts { try? waiting.removeWithoutSync(draft.temporary) }
            return .failure(.storeUnavailable(fault))
        }
    }

    private static func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads = min(count / 2, parallelFiles)
        guard threads > 1 else { return (0..<count).forEach(body) }
        let next = Locked(0)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            // Threads of our own: they wait for the disk, and a queue has as many as there are cores.
            Thread.detachNewThread {
                while true {
                    let index = next.withLock { next in
                        next += 1
                        return next - 1
                    }
                    guard index < count else { break }
                    body(index)
                }
                group.leave()
            }
        }
        group.wait()
    }

    /// Gives what was prepared its numbers, and with them its names.
    private func place(
        _ batches: [Batch],
        at now: Date
    ) throws(SessionStoreError) -> [Result<[OutboxEntry], OutboxError>] {
        let count = batches.reduce(0) { $0 + ((try? $1.get().count) ?? 0) }
        guard count > 0 else { return batches.map { $0.map { _ in [] } } }
        return try draw(count, at: now) { numbers, isAlone throws(SessionStoreError) in
            var next = numbers.lowerBound
            var placed: [OutboxEntry] = []
            do throws(SessionStoreError) {
                var results: [Result<[OutboxEntry], OutboxError>] = []
                for batch in batches {
                    guard let drafts = try? batch.get() else {
                        results.append(batch.map { _ in [] })
                        continue
                    }
                    let start = placed.count
                    for draft in drafts {
                        let entry = OutboxEntry(number: next, id: draft.id, lane: draft.lane, bytes: draft.bytes.count)
                        try waiting.place(draft.temporary, as: entry.file)
                        placed.append(entry)
                        next += 1
                    }
                    results.append(.success(Array(placed[start...])))
                }
                // If somebody else drew numbers, what he put down is yet to be read: this process stays out of date.
                known.withLock { known in
                    if isAlone { known.number = numbers.upperBound } else { known.ahead.formUnion(numbers) }
                }
                return results
            } catch {
                for entry in placed { try? waiting.removeWithoutSync(entry.file) }
                throw error
            }
        }
    }
}

extension OutboxFolder.Draft {
    /// The name of its file until it has a number.
    fileprivate var temporary: String { ".\(id.uuidString.lowercased())" }
}
