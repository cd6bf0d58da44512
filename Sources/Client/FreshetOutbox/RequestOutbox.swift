// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit
internal import FreshetWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A persistent queue of requests, which are sent in order, and only as the user who enqueued them.
///
/// It accepts requests while offline or signed out. `AuthSession.outbox(directory:configuration:)` creates one, which
/// sends until it is released.
public final class RequestOutbox: Sendable {
    let session: AuthSession
    private let configuration: OutboxConfiguration
    let disk: OutboxDisk
    let broadcaster = OutboxBroadcaster()
    let driver: OutboxDriver
    private let watch: Int

    init(
        _ session: AuthSession,
        directory: URL,
        configuration: OutboxConfiguration,
        executor: OutboxExecutor,
        environment: FileEnvironment = .current
    ) throws(OutboxError) {
        self.session = session
        self.configuration = configuration
        disk = try OutboxDisk(
            directory: directory,
            limits: configuration,
            executor: executor,
            environment: environment,
            wall: session.clock.wall
        )
        let driver = OutboxDriver(session: session, disk: disk, broadcaster: broadcaster, configuration: configuration)
        self.driver = driver
        watch = session.addObserver { [weak driver] event in
            guard event.kind == .networkChanged(isUp: true) || event.kind == .phaseChanged(.foreground) else { return }
            Task { await driver?.wake() }
        }
        Task { await driver.start() }
    }

    deinit {
        session.removeObserver(watch)
        let driver = driver
        Task { await driver.stop() }
    }

    // MARK: Enqueueing

    /// Stores a request, to be sent as soon as possible.
    ///
    /// When this returns, the request survives a crash and a power failure. It is stored without `Authorization` and
    /// cookies; the access token is attached at each attempt. If this throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - request: The request. The session's token must be allowed at its host, and its body must not be a stream.
    ///   - lane: Requests of a lane are sent strictly one after the other. A name has at most 64 bytes.
    ///   - userID: The request's user, if not the one who is signed in now: required while signed out.
    /// - Returns: The item's ID, which is also its idempotency key unless the app set one.
    /// - Throws: ``OutboxError``.
    @discardableResult
    public func enqueue(
        _ request: URLRequest,
        lane: String = "main",
        userID: String? = nil
    ) async throws(OutboxError) -> UUID {
        let ids = try await enqueue(contentsOf: [request], lane: lane, userID: userID)
        return ids[0]
    }

    /// Stores several requests, all or none, at a fraction of the cost per request.
    ///
    /// If the process exits before this returns, the first of them may be stored.
    ///
    /// - Parameters:
    ///   - requests: The requests, in this order.
    ///   - lane: Their lane.
    ///   - userID: The requests' user, if not the one who is signed in now.
    /// - Returns: The items' IDs.
    /// - Throws: ``OutboxError``.
    @discardableResult
    public func enqueue(
        contentsOf requests: [URLRequest],
        lane: String = "main",
        userID: String? = nil
    ) async throws(OutboxError) -> [UUID] {
        guard lane.utf8.count <= OutboxEntry.maximumLaneNameLength else {
            throw .unsupportedRequest("its lane's name has more than \(OutboxEntry.maximumLaneNameLength) bytes")
        }
        var accounts: [OutboxDriver.Account] = []
        if let userID {
            // The session may belong to that user, and have items that were enqueued before its user was known.
            let (owner, status) = (SessionOwner.user(userID), session.status)
            accounts = owner.isSignedIn(by: status) ? driver.makeAccounts(status) : []
            if accounts.isEmpty { accounts = [driver.makeAccount(owner)] }
        } else {
            accounts = try await currentAccounts()
        }
        guard let account = accounts.last else { throw .noAccount }
        guard account.folder.utf8.count <= 255 else { throw .unsupportedRequest("its user's ID is too long") }
        var drafts: [OutboxFolder.Draft] = []
        for request in requests { drafts.append(try draft(request, lane)) }
        guard !drafts.isEmpty else { return [] }
        let (new, ids) = (drafts, drafts.map(\.id))
        try await driver.store(ids, to: account.folder) { () async throws(OutboxError) in
            try await disk.append(new, to: account.folder, after: accounts.dropLast().first?.folder)
        }
        return ids
    }

    private func draft(_ request: URLRequest, _ lane: String) throws(OutboxError) -> OutboxFolder.Draft {
        guard session.isPermitted(request) else {
            throw .unsupportedRequest("the session's token must not be sent to its host")
        }
        let id = UUID.random()
        let key = configuration.idempotencyHeader.map { ($0, id.uuidString.lowercased()) }
        let item = try OutboxItem(
            request,
            key: key,
            dropping: session.credentialHeaderNames
        )
        let bytes = try item.encoded()
        guard bytes.count <= configuration.maximumItemBytes else { throw .tooLarge(bytes: bytes.count) }
        return OutboxFolder.Draft(id: id, lane: lane, bytes: bytes)
    }

    // MARK: Sending

    /// Retries items whose back-off has not ended, as when the network is back.
    ///
    /// Items for which the server sent `Retry-After` keep waiting.
    public func wake() {
        Task { await driver.wake() }
    }

    /// Sends all items that can be sent now, and returns when no item is being sent.
    ///
    /// Failed items wait for their next attempt. Cancelling the task only stops the wait.
    public func flush() async {
        await driver.start()
        await driver.wake()
        await driver.waitUntilIdle()
    }

    /// The number of items by state.
    public var counts: OutboxCounts { broadcaster.counts }

    /// The events from now on.
    ///
    /// Each access returns a new stream, which buffers the newest 1,024 events for a slow reader.
    public var events: AsyncStream<OutboxEvent> { broadcaster.stream() }

    // MARK: Dead letters

    /// Returns the dead letters of the user who is signed in, the oldest first.
    ///
    /// - Throws: ``OutboxError``.
    public func deadLetters() async throws(OutboxError) -> [OutboxDeadLetter] {
        var letters: [OutboxDeadLetter] = []
        _ = try await work { folder throws(SessionStoreError) -> [OutboxDeadLetter]? in
            try folder.deadLetters()
        } until: { found in
            letters += found
            return false
        }
        return letters
    }

    /// Returns the request of a dead letter, without a token; `nil` if its file is damaged.
    ///
    /// - Throws: ``OutboxError``.
    public func request(of id: UUID) async throws(OutboxError) -> URLRequest? {
        let bytes = try await workOnDeadLetter(id) { folder, entry throws(SessionStoreError) in
            try folder.dead.read(entry.file, largest: .max)
        }
        return OutboxItem(decoding: bytes)?.request
    }

    /// Moves a dead letter back to the end of its lane, with its idempotency key and a new age.
    ///
    /// If the policy holds lanes with dead letters, it returns to its old position, except after `expired`.
    ///
    /// - Throws: ``OutboxError``.
    public func retry(_ id: UUID) async throws(OutboxError) {
        let keepsPlace = configuration.policy.deadLetters == .hold
        let now = session.clock.wall()
        let entry = try await workOnDeadLetter(id) { folder, entry throws(SessionStoreError) in
            let isExpired = try folder.record(of: entry).deadLetterReason == .expired
            return try folder.requeue(entry, keepsPlace: keepsPlace && !isExpired, at: now)
        }
        broadcaster.emit(.enqueued, entry)
        await driver.scan(.all)
    }

    /// Deletes a dead letter.
    ///
    /// - Throws: ``OutboxError``.
    public func discard(_ id: UUID) async throws(OutboxError) {
        _ = try await workOnDeadLetter(id) { folder, entry throws(SessionStoreError) in try folder.discard(entry) }
        await driver.scan(.all)
    }

    /// Deletes all items and dead letters of a user, for example when the user leaves the device.
    ///
    /// An item that is being sent may still reach the server.
    ///
    /// - Parameter userID: The user; `nil` for the user who is signed in.
    /// - Throws: ``OutboxError``.
    public func discardEverything(userID: String? = nil) async throws(OutboxError) {
        let named = userID.map { [driver.makeAccount(.user($0))] }
        let accounts = if let named { named } else { try await currentAccounts() }
        do throws(SessionStoreError) {
            for account in accounts {
                _ = try await disk.work(in: account.folder) { folder throws(SessionStoreError) in
                    try folder.discardEverything()
                }
            }
        } catch {
            throw .storeUnavailable(error)
        }
        await driver.scan(.all)
    }

    /// Returns the accounts of the current session: the session before its user was known, then the user.
    ///
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the session's store is unavailable, and
    ///   ``OutboxError/noAccount`` if the user is not signed in.
    func currentAccounts() async throws(OutboxError) -> [OutboxDriver.Account] {
        // Another process may have signed in, or the store may be readable again.
        if !session.status.state.isSignedIn { await session.readStoreIfSignedOut() }
        let status = session.status
        let accounts = driver.makeAccounts(status)
        guard accounts.isEmpty else { return accounts }
        guard status.state == .unknown else { throw .noAccount }
        throw .storeUnavailable(status.storeFault ?? SessionStoreError(.failed, "the session's store did not respond"))
    }

    private func workOnDeadLetter<Value: Sendable>(
        _ id: UUID,
        _ body: @escaping @Sendable (OutboxFolder, OutboxEntry) throws(SessionStoreError) -> Value?
    ) async throws(OutboxError) -> Value {
        let value = try await work { folder throws(SessionStoreError) -> Value? in
            guard let entry = try folder.deadLetter(id) else { return nil }
            return try body(folder, entry)
        } until: { _ in
            true
        }
        guard let value else { throw .noSuchItem }
        return value
    }

    /// Runs an operation in the user's folders, one after the other, until it returns a value that `isWanted` accepts.
    private func work<Value: Sendable>(
        _ body: @escaping @Sendable (OutboxFolder) throws(SessionStoreError) -> Value?,
        until isWanted: (Value) -> Bool
    ) async throws(OutboxError) -> Value? {
        let accounts = try await currentAccounts()
        do throws(SessionStoreError) {
            for account in accounts {
                guard let value = try await disk.work(in: account.folder, body) ?? nil else { continue }
                if isWanted(value) { return value }
            }
            return nil
        } catch {
            throw .storeUnavailable(error)
        }
    }
}
