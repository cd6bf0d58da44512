// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Runs the outbox: follows the session, reads the folder, sends items and completes them on disk.
actor OutboxDriver {
    /// The extent of a scan.
    enum ScanDepth: Comparable {
        /// Items of other processes, if the folder has changed.
        case ifChanged
        /// Items of other processes, since an item waits for them.
        case new
        /// All items.
        case all
    }

    /// An account whose items are sent.
    struct Account: Equatable, Sendable {
        var owner: SessionOwner
        /// The name of its folder.
        var folder: String
    }

    nonisolated let session: AuthSession
    nonisolated let disk: OutboxDisk
    nonisolated let broadcaster: OutboxBroadcaster
    nonisolated let configuration: OutboxConfiguration
    nonisolated var clock: SessionClock { session.clock }

    var machine: OutboxStateMachine
    private(set) var account: Account?
    /// The serial of the state machine's listing, or of newer items added to it.
    private(set) var listing = 0
    private var newestAppend = 0
    /// The items that this process is storing.
    ///
    /// A scan may find them before their calls of `enqueue` go on.
    private nonisolated let unannounced = Locked<Set<UUID>>([])
    /// The completions that are not yet written to disk.
    var pendingCompletions: [UUID: OutboxFolder.ItemCompletion] = [:]

    private var watchTask: Task<Void, Never>?
    private var timer: (end: Duration, task: Task<Void, Never>)?
    private var nextPoll = Duration.zero
    /// Whether a scan is running, during which no attempt starts.
    private(set) var isScanning = false
    private var nextScan: ScanDepth?
    private var wasOffline = false
    /// The last published number of other accounts' items.
    private var publishedOtherCount = 0
    /// Whether the driver waits for the next accepted request.
    private var awaitsAcceptance = false
    private var isStopped = false
    private var idleWaiters: [FirstResult<Void>] = []

    init(session: AuthSession, disk: OutboxDisk, broadcaster: OutboxBroadcaster, configuration: OutboxConfiguration) {
        self.session = session
        self.disk = disk
        self.broadcaster = broadcaster
        self.configuration = configuration
        machine = OutboxStateMachine(
            parallelLanes: configuration.parallelLanes,
            backoff: configuration.backoff,
            holdsLaneOfDeadLetter: configuration.policy.deadLetters == .hold
        )
    }

    // MARK: The session

    /// Starts following the session.
    func start() {
        guard watchTask == nil, !isStopped else { return }
        setPoll()
        let states = session.states
        watchTask = Task { [weak self] in
            for await state in states {
                guard let self else { return }
                await self.follow(state)
            }
        }
    }

    /// Stops sending; attempts in progress are completed.
    func stop() {
        isStopped = true
        watchTask?.cancel()
        timer?.task.cancel()
        _ = machine.close(.signedOut)
        resumeIdleWaiters()
    }

    private func follow(_ state: SessionState) async {
        switch state {
        case .offline: wasOffline = true
        case .active:
            // The network is back. A routine refresh does not mean that.
            if wasOffline { machine.wake() }
            wasOffline = false
        case .unknown, .recordUnusable, .signedOut, .refreshing, .ending: break
        }
        await scan()
    }

    /// Determines the account, and updates the machine's items.
    ///
    /// - Parameter depth: The extent of the scan if the folder seems unchanged.
    func scan(_ depth: ScanDepth = .ifChanged) async {
        nextScan = max(nextScan ?? .ifChanged, depth)
        guard !isScanning, !isStopped else { return }
        isScanning = true
        while let depth = nextScan, !isStopped {
            nextScan = nil
            await scanOnce(depth)
        }
        isScanning = false
        advance()
    }

    private func scanOnce(_ depth: ScanDepth) async {
        let status = session.status
        guard status.state.isSignedIn, let owner = SessionOwner(status) else {
            close(status.storeFault == nil ? .signedOut : .storeUnavailable)
            await scanOtherAccounts()
            return
        }
        do throws(SessionStoreError) {
            let (current, isMerged) = try await choose(owner, status)
            let depth = isMerged ? .all : depth
            let isNew = current != account
            if isNew { enter(current) }
            // Items that were stored while signed out were numbered without a listing of those before them.
            let isListed = listing > 0 && !isNew
            let isKnown = try await disk.work(in: current.folder) { folder throws(SessionStoreError) in
                try folder.isUpToDate()
            }
            if !isListed || isKnown == false || depth > .ifChanged {
                try await list(isWhole: !isListed || depth != .new || machine.holdsLaneOfDeadLetter)
            }
            // The session may have changed in the meantime: an old token is ignored, and another account is scanned
            // next.
            let now = session.status
            machine.tokenChanged(TokenIdentity(now))
            guard now.state.isSignedIn, current.owner.isSignedIn(by: now) else {
                nextScan = nextScan ?? .ifChanged
                return
            }
            if machine.open() {
                machine.wake()
                broadcaster.emit(.resumed)
            }
        } catch {
            close(.storeUnavailable)
        }
        await scanOtherAccounts()
    }

    private func scanOtherAccounts() async {
        await disk.scanOtherAccounts(than: account?.folder)
        let others = disk.cachedOtherCounts(than: account?.folder).items
        guard others != publishedOtherCount else { return }
        publishedOtherCount = others
        broadcaster.emit(.othersWaiting(others))
    }

    /// Returns the account to send for, after moving the items enqueued before the session's user was known.
    private func choose(
        _ owner: SessionOwner,
        _ status: SessionStatus
    ) async throws(SessionStoreError) -> (account: Account, isMerged: Bool) {
        let account = makeAccount(owner)
        var isMerged = false
        for early in makeAccounts(status) where early.owner != owner {
            guard let merge = try await disk.merge(early.folder, into: account.folder) else { continue }
            isMerged = isMerged || merge.moved > 0
            // Items stay behind while an item of their lane is being sent. They are older, so they are sent first.
            if merge.left > 0 { return (early, isMerged) }
        }
        return (account, isMerged)
    }

    /// Returns the accounts of the current session: the session before its user was known, and the user.
    nonisolated func makeAccounts(_ status: SessionStatus) -> [Account] {
        let owners = [status.sessionID.map(SessionOwner.session), status.userID.map(SessionOwner.user)]
        return status.sessionID == nil ? [] : owners.compactMap { $0.map(makeAccount) }
    }

    nonisolated func makeAccount(_ owner: SessionOwner) -> Account {
        Account(owner: owner, folder: owner.folder(at: session.origin))
    }

    private func enter(_ new: Account) {
        account = new
        machine.resetForNewAccount()
        listing = 0
    }

    private func close(_ hold: OutboxHoldReason) {
        guard machine.close(hold) else { return }
        publishCounts()
        broadcaster.emit(.held(hold))
    }

    /// Lists the waiting items.
    private func list(isWhole: Bool) async throws(SessionStoreError) {
        guard let account else { return }
        while true {
            let found = try await disk.work(in: account.folder) { folder throws(SessionStoreError) in
                try isWhole ? folder.list() : folder.listNew()
            }
            guard self.account == account else { return }
            // The listing lacks items that were stored since.
            if isWhole, let found, found.serial < newestAppend { continue }
            listing = found?.serial ?? 0
            if let found, found.dead == nil {
                machine.add(found.waiting)
            } else {
                machine.synchronize(found?.waiting ?? [], dead: Set((found?.dead ?? []).map(\.lane)))
            }
            return announce(found?.waiting ?? [])
        }
    }

    // MARK: The app's calls

    /// Stores items of this process with `body`, and announces them before anything else that happens to them.
    nonisolated func store<Failure: Error>(
        _ ids: [UUID],
        to folder: String,
        _ body: () async throws(Failure) -> OutboxDisk.Appended
    ) async throws(Failure) {
        unannounced.withLock { $0.formUnion(ids) }
        defer { unannounced.withLock { $0.subtract(ids) } }
        try await added(body(), to: folder)
    }

    /// Publishes the counts and emits the events of new items of this process.
    private func announce(_ entries: [OutboxEntry]) {
        let new = unannounced.withLock { ids in ids.isEmpty ? [] : entries.filter { ids.remove($0.id) != nil } }
        guard !new.isEmpty else { return }
        // A reader of the event finds the counts with it.
        publishCounts()
        for entry in new { broadcaster.emit(.enqueued, entry) }
    }

    /// Adds items that this process enqueued.
    private func added(_ appended: OutboxDisk.Appended, to folder: String) async {
        let isSending = folder == account?.folder && !appended.isMerged
        if isSending {
            newestAppend = max(newestAppend, appended.serial)
            machine.add(appended.entries)
        }
        announce(appended.entries)
        // The first items: there was no folder to list.
        let isFirst = isSending && listing == 0
        if isFirst || appended.isMerged { await scan(.all) } else { advance() }
    }

    /// Ends the pauses of items, and scans for new ones.
    func wake() async {
        machine.expirePauses(now: clock.now())
        machine.wake()
        await pollSession()
        await scan()
    }

    /// Returns when no item is being sent or could be.
    func waitUntilIdle() async {
        let waiter = FirstResult<Void>()
        idleWaiters.append(waiter)
        resumeIdleWaiters()
        await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            waiter.finish(with: ())
        }
    }

    private func resumeIdleWaiters() {
        guard isStopped || (machine.isIdle && !isScanning && watchTask != nil) else { return }
        for waiter in idleWaiters { waiter.finish(with: ()) }
        idleWaiters = []
    }

    // MARK: Progress

    /// Starts the attempts that may start, publishes the counts, and sets the timer.
    func advance() {
        if !isStopped, !isScanning, let account {
            for run in machine.start() { Task { await send(run, for: account) } }
        }
        publishCounts()
        resumeIdleWaiters()
        setTimer()
    }

    func publishCounts() { broadcaster.publish(counts) }

    private var counts: OutboxCounts {
        let known = disk.cachedState(of: account?.folder)
        let laneCounters = machine.laneCounters
        var counts = OutboxCounts()
        counts.sending = laneCounters.sending
        counts.held = machine.hold == nil ? laneCounters.held : laneCounters.items - laneCounters.sending
        counts.waiting = laneCounters.items - counts.sending - counts.held
        counts.dead = known.dead
        counts.bytes = known.bytes.adding(clamped: known.deadBytes)
        (counts.others, counts.unknown) = disk.cachedOtherCounts(than: account?.folder)
        return counts
    }

    /// Ends the hold of a refused token at the next request that the server accepts.
    func awaitAcceptance() {
        guard !awaitsAcceptance else { return }
        awaitsAcceptance = true
        session.onNextAcceptedRequest { [weak self] in Task { await self?.tokenAccepted() } }
    }

    private func tokenAccepted() {
        awaitsAcceptance = false
        machine.tokenAccepted(now: clock.now())
        advance()
    }

    private func setTimer() {
        guard !isStopped else { return }
        let end = min(machine.nextDeadline ?? nextPoll, nextPoll)
        guard timer?.end != end else { return }
        timer?.task.cancel()
        // A pause between attempts ends before the next poll of the folder.
        let purpose: SleepPurpose = end < nextPoll ? .pause("of an outbox item") : .schedule("of an outbox")
        let task = clock.timer(end, purpose) { [weak self] in
            guard !Task.isCancelled else { return }
            await self?.timerFired()
        }
        timer = (end, task)
    }

    /// Sets the time of the next poll.
    ///
    /// Only the timer calls it: other scans do not make the session read its store again.
    private func setPoll() { nextPoll = clock.now() + configuration.pollInterval * (0.5 + clock.chance() / 2) }

    private func timerFired() async {
        timer = nil
        let now = clock.now()
        machine.expirePauses(now: now)
        guard now >= nextPoll else { return advance() }
        setPoll()
        await pollSession()
        await scan()
    }

    /// Makes the session read its store, which may be readable again or changed by another process.
    private func pollSession() async {
        guard machine.hold != nil, !isStopped else { return }
        await session.pollToken()
    }
}
