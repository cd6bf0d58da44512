// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Drives the outbox's machine: follows the session, reads the folder, sends, and does on disk what an answer means.
actor OutboxDriver {
    /// How thoroughly to look what is there.
    enum Depth: Comparable {
        /// At whatever others put down, if they did.
        case asNeeded
        /// At what others put down, which some item waits for.
        case news
        /// At everything that is there.
        case everything
    }

    /// An account whose items are the machine's.
    struct Account: Equatable, Sendable {
        var owner: SessionOwner
        /// The name of its folder.
        var folder: String
    }

    nonisolated let session: Session
    nonisolated let disk: OutboxDisk
    nonisolated let board: OutboxBoard
    nonisolated let configuration: OutboxConfiguration
    nonisolated var clock: SessionClock { session.endpoint.clock }

    var machine: OutboxStateMachine
    private(set) var account: Account?
    /// The listing that the machine goes by, and the newest items that it was told of.
    private(set) var listing = 0
    private var newestAppend = 0
    /// What was answered about items, where the disk has yet to hear of it.
    var owed: [UUID: OutboxFolder.Deed] = [:]

    private var watchTask: Task<Void, Never>?
    private var timer: (end: Duration, task: Task<Void, Never>)?
    private var nextPoll = Duration.zero
    /// Nothing begins to be sent meanwhile.
    private(set) var isLooking = false
    private var nextLook: Depth?
    private var wasOffline = false
    /// How many items of other accounts were told of.
    private var toldOthers = 0
    /// Whether the next call that the server accepts is waited for.
    private var awaitsAcceptance = false
    private var isStopped = false
    private var idlers: [Race<Void>] = []

    init(session: Session, disk: OutboxDisk, board: OutboxBoard, configuration: OutboxConfiguration) {
        self.session = session
        self.disk = disk
        self.board = board
        self.configuration = configuration
        machine = OutboxStateMachine(
            parallelLanes: configuration.parallelLanes,
            backoff: configuration.backoff,
            holdsLaneOfDeadLetter: configuration.policy.deadLetters == .hold
        )
    }

    // MARK: The session

    /// Begins to follow the session.
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

    /// Sends nothing more; what is on its way is seen to its end.
    func stop() {
        isStopped = true
        watchTask?.cancel()
        timer?.task.cancel()
        _ = machine.close(.signedOut)
        answerIdlers()
    }

    private func follow(_ state: SessionState) async {
        switch state {
        case .offline: wasOffline = true
        case .active:
            // The network is back. A refresh in the course of things is no such news.
            if wasOffline { machine.wake() }
            wasOffline = false
        case .unknown, .recordUnusable, .signedOut, .refreshing, .ending: break
        }
        await look()
    }

    /// Looks whose items are to be sent, and what is there of them.
    ///
    /// - Parameter depth: How thoroughly to look where nothing seems new.
    func look(_ depth: Depth = .asNeeded) async {
        nextLook = max(nextLook ?? .asNeeded, depth)
        guard !isLooking, !isStopped else { return }
        isLooking = true
        while let depth = nextLook, !isStopped {
            nextLook = nil
            await lookOnce(depth)
        }
        isLooking = false
        advance()
    }

    private func lookOnce(_ depth: Depth) async {
        let status = session.status
        guard status.state.isSignedIn, let owner = SessionOwner(status) else {
            close(status.storeFault == nil ? .signedOut : .storeUnavailable)
            await lookAtOthers()
            return
        }
        do throws(StoreUnavailable) {
            let (current, isMerged) = try await choose(owner, status)
            let depth = isMerged ? .everything : depth
            let isNew = current != account
            if isNew { enter(current) }
            let isKnown = try await disk.work(in: current.folder) { folder throws(StoreUnavailable) in
                try folder.isUpToDate()
            }
            if isNew || isKnown == false || depth > .asNeeded {
                try await list(isWhole: isNew || depth != .news || machine.holdsLaneOfDeadLetter)
            }
            // What was true a moment ago need not be: an older token is no news, another account is to be looked at next.
            let now = session.status
            machine.tokenChanged(TokenMark(now))
            guard now.state.isSignedIn, current.owner.isSignedIn(by: now) else {
                nextLook = nextLook ?? .asNeeded
                return
            }
            if machine.open() {
                machine.wake()
                board.tell(.resumed)
            }
        } catch {
            close(.storeUnavailable)
        }
        await lookAtOthers()
    }

    private func lookAtOthers() async {
        await disk.lookAtOthers(than: account?.folder)
        let others = disk.othersKnown(than: account?.folder).items
        guard others != toldOthers else { return }
        toldOthers = others
        board.tell(.othersWaiting(others))
    }

    /// The account to send for, once it has the items from before the session's user was known.
    private func choose(
        _ owner: SessionOwner,
        _ status: SessionStatus
    ) async throws(StoreUnavailable) -> (account: Account, isMerged: Bool) {
        let account = makeAccount(owner)
        var isMerged = false
        for early in makeAccounts(status) where early.owner != owner {
            guard let merge = try await disk.merge(early.folder, into: account.folder) else { continue }
            isMerged = isMerged || merge.moved > 0
            // An item of its lane is being sent: what was put down first goes first.
            if merge.left > 0 { return (early, isMerged) }
        }
        return (account, isMerged)
    }

    /// The accounts of whoever is signed in: the user, and the session as long as nobody knew whose it is.
    nonisolated func makeAccounts(_ status: SessionStatus) -> [Account] {
        let owners = [status.sessionID.map(SessionOwner.session), status.userID.map(SessionOwner.user)]
        return status.sessionID == nil ? [] : owners.compactMap { $0.map(makeAccount) }
    }

    nonisolated func makeAccount(_ owner: SessionOwner) -> Account {
        Account(owner: owner, folder: owner.folder(at: session.driver.origin))
    }

    private func enter(_ new: Account) {
        account = new
        machine.leaveAccount()
        listing = 0
    }

    private func close(_ hold: OutboxHold) {
        if machine.close(hold) { board.tell(.held(hold)) }
    }

    /// Reads what waits.
    private func list(isWhole: Bool) async throws(StoreUnavailable) {
        guard let account else { return }
        while true {
            let found = try await disk.work(in: account.folder) { folder throws(StoreUnavailable) in
                try isWhole ? folder.list() : folder.listNews()
            }
            guard self.account == account else { return }
            // What was put down since is not in it.
            if isWhole, let found, found.serial < newestAppend { continue }
            listing = found?.serial ?? 0
            if let found, found.dead == nil { return machine.add(found.waiting) }
            let lanes = found?.dead?.map(\.lane) ?? []
            return machine.synchronize(found?.waiting ?? [], dead: Set(lanes))
        }
    }

    // MARK: What the app does

    /// Items were put down by this process.
    func added(_ appended: OutboxDisk.Appended, to folder: String) async {
        for entry in appended.entries { board.tell(.enqueued, entry) }
        guard folder == account?.folder, !appended.isMerged else {
            if appended.isMerged { await look(.everything) } else { advance() }
            return
        }
        newestAppend = max(newestAppend, appended.serial)
        machine.add(appended.entries)
        // The first ones of all: there was no folder to list.
        if listing == 0 { await look(.everything) } else { advance() }
    }

    /// Goes on with whatever waits for nothing but time, and looks whether there is news.
    func wake() async {
        machine.expirePauses(now: clock.now())
        machine.wake()
        await askSession()
        await look()
    }

    /// Returns when nothing is on its way, and nothing could be.
    func untilQuiet() async {
        let idler = Race<Void>()
        idlers.append(idler)
        answerIdlers()
        await withTaskCancellationHandler {
            await idler.value()
        } onCancel: {
            idler.finish(with: ())
        }
    }

    private func answerIdlers() {
        guard isStopped || (machine.isQuiet && !isLooking && watchTask != nil) else { return }
        for idler in idlers { idler.finish(with: ()) }
        idlers = []
    }

    // MARK: Going on

    /// Begins what may begin, shows how things stand, and sets the timer.
    func advance() {
        if !isStopped, !isLooking, let account {
            for run in machine.start() { Task { await send(run, for: account) } }
        }
        board.publish(counts)
        answerIdlers()
        setTimer()
    }

    private var counts: OutboxCounts {
        let known = disk.knowledge(of: account?.folder)
        let tally = machine.tally
        var counts = OutboxCounts()
        counts.sending = tally.sending
        counts.held = machine.hold == nil ? tally.held : tally.items - tally.sending
        counts.waiting = tally.items - counts.sending - counts.held
        counts.dead = known.dead
        counts.bytes = known.bytes.adding(clamped: known.deadBytes)
        (counts.others, counts.unknown) = disk.othersKnown(than: account?.folder)
        return counts
    }

    /// Lets the next call that the server accepts end the hold of a refused token.
    func awaitAcceptance() {
        guard !awaitsAcceptance else { return }
        awaitsAcceptance = true
        session.published.acceptance.onNext { [weak self] in Task { await self?.tokenAccepted() } }
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
        // A pause before another attempt ends before the next look at the folder.
        let purpose: SleepPurpose = end < nextPoll ? .pause("of an outbox item") : .schedule("of an outbox")
        let task = clock.timer(end, purpose) { [weak self] in
            guard !Task.isCancelled else { return }
            await self?.timeHasCome()
        }
        timer = (end, task)
    }

    /// Other looks leave it where it is: they do not ask the session to read its store again.
    private func setPoll() { nextPoll = clock.now() + configuration.pollInterval * (0.5 + clock.chance() / 2) }

    private func timeHasCome() async {
        timer = nil
        let now = clock.now()
        machine.expirePauses(now: now)
        guard now >= nextPoll else { return advance() }
        setPoll()
        await askSession()
        await look()
    }

    /// Another process may have signed in, or the store be readable again: the session looks when it is asked.
    private func askSession() async {
        guard machine.hold != nil, !isStopped else { return }
        _ = try? await session.driver.token(for: .good, isUserInitiated: false)
    }
}
