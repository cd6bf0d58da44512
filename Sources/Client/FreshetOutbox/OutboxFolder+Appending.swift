// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation
internal import FreshetKit

extension OutboxFolder {
    private typealias Batch = Result<[Draft], OutboxError>

    /// Stores items durably, each batch completely or not at all.
    ///
    /// The files are written before their numbers are drawn, so that the lock is not held during the sync.
    ///
    /// - Returns: For each batch, its items or the error.
    /// - Throws: ``SessionStoreError`` if no batch could be stored.
    func append(
        _ batches: [[Draft]],
        at now: Date,
        within limits: OutboxConfiguration,
        threads: Int = 1
    ) throws(SessionStoreError) -> Appended {
        if cachedState.number == nil { _ = try list() }
        let prepared = prepare(admit(batches, within: limits), threads: threads)
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

    /// Rejects batches that exceed the limits.
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

    /// Writes the items to temporary files.
    private func prepare(_ batches: [Batch], threads: Int) -> [Batch] {
        let drafts = batches.flatMap { (try? $0.get()) ?? [] }
        let faults = Locked<[UUID: SessionStoreError]>([:])
        Self.inParallel(drafts.count, threads: min(drafts.count / 2, threads)) { index in
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

    private static func inParallel(_ count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
        guard threads > 1 else { return (0..<count).forEach(body) }
        let next = Locked(0)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            // Separate threads, because they block on the disk, and a dispatch queue has one per core.
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

    /// Draws numbers for the temporary files and renames them.
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
                // If another process has drawn numbers, the cached number stays lower than that process's numbers, so
                // that the next listing includes the items that have them.
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
    /// The name of its temporary file.
    fileprivate var temporary: String { ".\(id.uuidString.lowercased())" }
}
