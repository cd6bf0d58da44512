// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Keeps requests on disk until the server has them: written offline or signed out, sent in order, never as another user.
///
/// ``AuthSession/outbox(directory:configuration:)`` makes one. It sends as long as it is kept.
public final class Outbox: Sendable {
    let session: AuthSession
    private let configuration: OutboxConfiguration
    let disk: OutboxDisk
    let broadcaster = OutboxBroadcaster()
    let driver: OutboxDriver
    private let watch: Int

    init(_ session: AuthSession, directory: URL, configuration: OutboxConfiguration) throws(OutboxError) {
        self.session = session
        self.configuration = configuration
        disk = try OutboxDisk(directory: directory, limits: configuration, wall: session.clock.wall)
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

    // MARK: Putting down

    /// Takes over a request, to be sent when that is possible.
    ///
    /// When this returns the request survives the end of the process and of power. It is kept without `Authorization` and
    /// cookies; the access token is attached each time it is sent. If it throws, nothing was put down.
    ///
    /// - Parameters:
    ///   - request: What to send; its host is one that the session's token may go to, and its body is no stream.
    ///   - lane: Requests of a lane are sent strictly one after the other. A name has at most 64 bytes.
    ///   - userID: Whose request it is, if that may not be whoever is signed in now: needed while nobody is.
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

    /// Takes over several requests, all or none of them, each at a fraction of the price of one by itself.
    ///
    /// If the process ends before this returns, a first part of them may have been put down.
    ///
    /// - Parameters:
    ///   - requests: What to send, in this order.
    ///   - lane: Their lane.
    ///   - userID: Whose requests they are, if that may not be whoever is signed in now.
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
            // The session may be that user's, and have items from before its user was known.
            accounts = session.status.userID == userID ? driver.makeAccounts(session.status) : []
            if accounts.isEmpty { accounts = [driver.makeAccount(.user(userID))] }
        } else {
            accounts = try await currentAccounts()
        }
        guard let account = accounts.last else { throw .noAccount }
        guard account.folder.utf8.count <= 255 else { throw .unsupportedRequest("its user's ID is too long") }
        var drafts: [OutboxFolder.Draft] = []
        for request in requests { drafts.append(try draft(request, lane)) }
        guard !drafts.isEmpty else { return [] }
        let appended = try await disk.append(drafts, to: account.folder, after: accounts.dropLast().first?.folder)
        await driver.added(appended, to: account.folder)
        return drafts.map(\.id)
    }

    private func draft(_ request: URLRequest, _ lane: String) throws(OutboxError) -> OutboxFolder.Draft {
        guard session.isPermitted(request) else {
            throw .unsupportedRequest("its host is none that the session's token may go to")
        }
        let id = UUID()
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

    // MARK: Going on

    /// Goes on at once with what waits for the end of a back-off, as when the network is back.
    ///
    /// What the server itself asked to wait for goes on waiting.
    public func wake() {
        Task { await driver.wake() }
    }

    /// Sends what can be sent now, and returns when nothing is on its way any more.
    ///
    /// What failed meanwhile waits for its next attempt. Cancelling it stops the waiting alone.
    public func flush() async {
        await driver.start()
        await driver.wake()
        await driver.waitUntilIdle()
    }

    /// How many items there are, by what they do.
    public var counts: OutboxCounts { broadcaster.counts }

    /// Everything that happens from now on.
    ///
    /// Each call gives a stream of its own, which keeps the newest 1,024 events for a slow listener.
    public var events: AsyncStream<OutboxEvent> { broadcaster.stream() }

    // MARK: Dead letters

    /// What was set aside for whoever is signed in, the oldest first.
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

    /// The request of a dead letter, without a token; `nil` if its file is damaged.
    ///
    /// - Throws: ``OutboxError``.
    public func request(of id: UUID) async throws(OutboxError) -> URLRequest? {
        let bytes = try await workOnDeadLetter(id) { folder, entry throws(SessionStoreError) in
            try folder.dead.read(entry.file, largest: .max)
        }
        return OutboxItem(decoding: bytes)?.request
    }

    /// Puts a dead letter back at the end of its lane, with its key and with a new age.
    ///
    /// Where a lane waits for its dead letters, it goes back to its old place.
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

    /// Forgets a dead letter for good.
    ///
    /// - Throws: ``OutboxError``.
    public func discard(_ id: UUID) async throws(OutboxError) {
        _ = try await workOnDeadLetter(id) { folder, entry throws(SessionStoreError) in try folder.discard(entry) }
        await driver.scan(.all)
    }

    /// Forgets all items and dead letters of a user for good, as when he leaves this device.
    ///
    /// What is on its way right now may still reach the server.
    ///
    /// - Parameter userID: Whose; without one, those of whoever is signed in.
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

    /// The accounts of the session that is signed in: the session as long as its user was unknown, then the user.
    ///
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the session's store gives no answer, and
    ///   ``OutboxError/noAccount`` if nobody is signed in.
    func currentAccounts() async throws(OutboxError) -> [OutboxDriver.Account] {
        // Another process may have signed in, or the store be readable again.
        if !session.status.state.isSignedIn { await session.readStoreIfSignedOut() }
        let status = session.status
        let accounts = driver.makeAccounts(status)
        guard accounts.isEmpty else { return accounts }
        guard status.state == .unknown else { throw .noAccount }
        throw .storeUnavailable(status.storeFault ?? SessionStoreError(.failed, "the session's store gave no answer"))
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

    /// Works in the folders of whoever is signed in, until one has what is wanted.
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
