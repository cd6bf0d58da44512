// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Runs file operations serially, so that they block no other code.
final class OutboxDisk: Sendable {
    private typealias Answer = Result<Appended, OutboxError>

    /// Stored items, and the folder's serial at that time.
    struct Appended: Sendable {
        var entries: [OutboxEntry]
        var serial: Int
        /// Whether items of another folder were moved to this folder first.
        var isMerged = false
    }

    /// A caller's items to store.
    private struct AppendRequest: Sendable {
        var account: String
        /// A folder whose items are moved first.
        var earlier: String?
        var drafts: [OutboxFolder.Draft]
        var answer: @Sendable (Answer) -> Void
    }

    private let directory: String
    private let limits: OutboxConfiguration
    private let wall: @Sendable () -> Date
    private let executor: OutboxExecutor
    private let environment: FileEnvironment
    /// Open folders by name: those in which this process works.
    ///
    /// Each has four descriptors.
    let folders = Locked<[String: OutboxFolder]>([:])
    /// The numbers of items in other folders, when these were last read.
    private let others = Locked<[String: Int]>([:])
    private let requests = Locked<[AppendRequest]>([])
    private let serials = Locked(0)

    init(
        directory: URL,
        limits: OutboxConfiguration,
        executor: OutboxExecutor,
        environment: FileEnvironment = .current,
        wall: @escaping @Sendable () -> Date
    ) throws(OutboxError) {
        self.directory = directory.standardizedFileURL.path
        self.limits = limits
        self.executor = executor
        self.environment = environment
        self.wall = wall
        do throws(SessionStoreError) {
            guard let base = try SecureFolder.open(self.directory, creating: true, environment: environment) else {
                throw .missingFolder
            }
            try Self.migrateNames(in: base, at: self.directory, environment)
        } catch {
            throw .storeUnavailable(error)
        }
        // Also a folder that the app has created.
        environment.protect(self.directory)
    }

    // MARK: Folders

    /// Runs an operation in an account's folder.
    ///
    /// - Parameters:
    ///   - account: The folder's name.
    ///   - creating: Whether to create the folder.
    ///   - body: The operation.
    /// - Returns: The operation's result; `nil` if the folder does not exist and is not to be created.
    /// - Throws: The operation's error, or the error of opening the folder.
    func work<Value: Sendable>(
        in account: String,
        creating: Bool = false,
        _ body: @escaping @Sendable (OutboxFolder) throws(SessionStoreError) -> Value
    ) async throws(SessionStoreError) -> Value? {
        try await executor.run { [self] () throws(SessionStoreError) -> Value? in
            do throws(SessionStoreError) {
                guard let folder = try folder(account, creating: creating) else { return nil }
                return try body(folder)
            } catch {
                forget(account)
                throw error
            }
        }
    }

    /// Returns the cached state of an account's folder, without reading it.
    func cachedState(of account: String?) -> OutboxFolder.CachedState {
        account.flatMap { account in folders.withLock { $0[account]?.cachedState } } ?? OutboxFolder.CachedState()
    }

    /// Returns the cached number of items in other folders, and of those with an unknown user.
    func cachedOtherCounts(than account: String?) -> (items: Int, unknown: Int) {
        let open = folders.withLock { $0.mapValues(\.cachedState.items) }
        let items = others.withLock { $0 }.merging(open) { _, open in open }
        var count = (items: 0, unknown: 0)
        for (name, items) in items where name != account {
            count.items += items
            if case .session = SessionOwner.owner(ofFolder: name)?.owner { count.unknown += items }
        }
        return count
    }

    /// Returns the accounts of folders other than this one.
    func accounts(otherThan account: String?) async throws(SessionStoreError) -> [OutboxAccount] {
        try await executor.run { [self] () throws(SessionStoreError) in
            var accounts: [OutboxAccount] = []
            for name in names().sorted() where name != account && SessionOwner.owner(ofFolder: name) != nil {
                guard let folder = try readableFolder(name) else { continue }
                let listing = try folder.list()
                if let found = OutboxAccount(folder: name, listing) { accounts.append(found) }
            }
            return accounts
        }
    }

    // MARK: Moving items

    /// Moves all items and dead letters of one folder to another.
    ///
    /// - Returns: `nil` if there is no such folder.
    func merge(_ source: String, into target: String) async throws(SessionStoreError) -> OutboxFolder.Merge? {
        try await executor.run { [self] () throws(SessionStoreError) in try mergeNow(source, into: target) }
    }

    private func mergeNow(_ source: String, into target: String) throws(SessionStoreError) -> OutboxFolder.Merge? {
        do throws(SessionStoreError) {
            guard let other = try readableFolder(source) else { return nil }
            others.withLock { $0[source] = nil }
            guard try other.count() > 0 || other.cachedState.dead > 0 else { return OutboxFolder.Merge() }
            guard let folder = try folder(target, creating: true) else { return nil }
            return try folder.merge(other)
        } catch {
            forget(source)
            forget(target)
            throw error
        }
    }

    /// Checks for new items in folders other than this one.
    func scanOtherAccounts(than account: String?) async {
        try? await executor.run { [self] () throws(SessionStoreError) in
            let names = names()
            // They cannot be listed now, or there are none.
            guard !names.isEmpty else { return }
            var counts: [String: Int] = [:]
            for name in names where name != account && SessionOwner.owner(ofFolder: name) != nil {
                // Closed again, because there may be as many as users of the device.
                let known = others.withLock { $0[name] }
                counts[name] = (try? readableFolder(name)?.count()) ?? known
            }
            others.withLock { $0 = counts }
        }
    }

    private func openedFolder(_ account: String) -> OutboxFolder? { folders.withLock { $0[account] } }

    /// Returns an account's folder, which is not kept open if this process does not work in it.
    private func readableFolder(_ account: String) throws(SessionStoreError) -> OutboxFolder? {
        if let folder = openedFolder(account) { return folder }
        return try openFolder(account, creating: false)
    }

    private func names() -> [String] {
        do throws(SessionStoreError) {
            guard let base = try openBase() else { return [] }
            return try base.names()
        } catch { return [] }
    }

    private func folder(_ account: String, creating: Bool) throws(SessionStoreError) -> OutboxFolder? {
        if let folder = openedFolder(account) { return folder }
        guard let folder = try openFolder(account, creating: creating) else {
            // The outbox created its folder when it was opened, so the folder's volume was unmounted or the folder was
            // deleted.
            guard try openBase() != nil else { throw .missingFolder }
            return nil
        }
        folders.withLock { $0[account] = folder }
        return folder
    }

    /// Opens the folder of all accounts; `nil` if it is missing.
    private func openBase() throws(SessionStoreError) -> SecureFolder? {
        try SecureFolder.open(directory, creating: false, environment: environment)
    }

    private func openFolder(_ account: String, creating: Bool) throws(SessionStoreError) -> OutboxFolder? {
        try OutboxFolder("\(directory)/\(account)", creating: creating, serials, environment: environment)
    }

    /// Closes a folder, to be reopened by the next operation: it may have been deleted or replaced.
    private func forget(_ account: String) {
        folders.withLock { $0[account] = nil }
    }

    // MARK: Enqueueing

    /// Stores items durably.
    ///
    /// Concurrent calls share one group commit, and its cost.
    ///
    /// - Parameters:
    ///   - drafts: The items.
    ///   - account: The folder.
    ///   - earlier: A folder of the same account, whose items are moved there first.
    /// - Returns: The stored items.
    /// - Throws: ``OutboxError``.
    func append(
        _ drafts: [OutboxFolder.Draft],
        to account: String,
        after earlier: String? = nil
    ) async throws(OutboxError) -> Appended {
        let answer: Answer = await withCheckedContinuation { waiter in
            let request = AppendRequest(account: account, earlier: earlier, drafts: drafts) {
                waiter.resume(returning: $0)
            }
            let isFirst = requests.withLock { requests in
                requests.append(request)
                return requests.count == 1
            }
            if isFirst { executor.enqueue { self.processAppendRequests(isActive: $0) } }
        }
        return try answer.get()
    }

    private func processAppendRequests(isActive: Bool) {
        let all = requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
        for (account, requests) in Dictionary(grouping: all, by: \.account) {
            do throws(SessionStoreError) {
                guard isActive else { throw .inactive }
                guard let folder = try folder(account, creating: true) else {
                    throw SessionStoreError(.failed, "the folder cannot be created")
                }
                // Items that cannot be moved now are moved later; the write still succeeds.
                let isMerged = Set(requests.compactMap(\.earlier)).reduce(into: false) { isMerged, earlier in
                    isMerged = ((try? mergeNow(earlier, into: account))??.moved ?? 0) > 0 || isMerged
                }
                let appended = try folder.append(
                    requests.map(\.drafts),
                    at: wall(),
                    within: limits,
                    threads: executor.threads
                )
                for (request, batch) in zip(requests, appended.batches) {
                    request.answer(batch.map { Appended(entries: $0, serial: appended.serial, isMerged: isMerged) })
                }
            } catch {
                forget(account)
                for request in requests { request.answer(.failure(.storeUnavailable(error))) }
            }
        }
    }
}
