// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension OutboxDriver {
    private enum Answer {
        case verdict(OutboxVerdict, status: Int)
        /// The server will not take it.
        case dead(OutboxDeath, text: String?)
        /// The account is not signed in any more, and nothing was sent for it.
        case withdrawn
    }

    /// One attempt to send an item, from the file to what its answer means to the file.
    func send(_ run: OutboxStateMachine.Run, for account: Account) async {
        let taking: OutboxFolder.Taking?
        do throws(StoreUnavailable) {
            taking = try await disk.work(in: account.folder) { [listing] folder throws(StoreUnavailable) in
                try folder.take(run.entry, by: listing)
            }
        } catch {
            return finish(run, .failed(retryAfter: nil))
        }
        switch taking {
        case .gone, nil:
            owed[run.entry.id] = nil
            board.tell(.gone, run.entry)
            finish(run, .gone)
        case .busy: finish(run, .busy)
        case .newer: finish(run, .newer)
        case .outdated:
            // Nothing begins while one looks, and its end brings the news.
            if !isLooking { await look(.news) }
            finish(run, .withdrawn)
        case .damaged(let lane): await bury(run, .damaged, in: lane, for: account)
        case .item(let item, let lane): await send(item, run, in: lane, for: account)
        }
    }

    private func send(
        _ item: OutboxItem,
        _ run: OutboxStateMachine.Run,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        if let deed = owed[run.entry.id] { return await settle(run, deed, in: lane, for: account) }
        let maximumAge = configuration.maximumAge
        if run.entry.isExpired(at: clock.wall(), maximumAge: maximumAge) {
            return await bury(run, .expired, in: lane, for: account)
        }
        guard let request = item.request, session.isPermitted(request) else {
            return await bury(run, .foreignHost, in: lane, for: account)
        }
        guard machine.isCurrent(run) else { return letGo(run, .withdrawn, of: lane) }
        board.tell(.sending(attempt: run.attempt), run.entry)
        switch await answer(to: request, for: account.owner) {
        case .withdrawn:
            letGo(run, .failed(retryAfter: nil), of: lane)
            await look()
        case .verdict(.retry(let delay), _): letGo(run, .failed(retryAfter: delay), of: lane)
        case .verdict(.hold, _):
            letGo(run, .refused(TokenMark(session.status)), of: lane)
        case .verdict(.delivered, let status):
            board.tell(.delivered(status: status), run.entry)
            await settle(run, .remove, in: lane, for: account)
        case .verdict(.dead, let status): await bury(run, .rejected(status: status), in: lane, for: account)
        case .dead(let death, let text): await bury(run, death, text, in: lane, for: account)
        }
    }

    /// Sends a request as its owner, and says what came of it.
    private func answer(to request: URLRequest, for owner: SessionOwner) async -> Answer {
        do {
            let reply = try await session.send(request, as: owner)
            let (body, response) = reply.answer
            let data = try body.whole()
            let rerouting = OutboxRerouting(sent: request, answered: reply.request, response)
            let outcome = session.outcome(of: data, response)
            let verdict = configuration.policy.verdict(on: data, response, outcome, after: rerouting)
            let status = response.statusCode
            guard verdict == .dead else { return .verdict(verdict, status: status) }
            let isRedirected = rerouting != nil && status < 400
            let death = isRedirected ? OutboxDeath.redirected(status: status) : .rejected(status: status)
            return .dead(death, text: session.refusalText(in: data, response))
        } catch let error as SessionError {
            guard case .signedOut = error else { return .verdict(configuration.policy.verdict(on: error), status: 0) }
            return .withdrawn
        } catch {
            return .verdict(configuration.policy.verdict(on: error), status: 0)
        }
    }

    // MARK: What an answer leads to

    private func bury(
        _ run: OutboxStateMachine.Run,
        _ death: OutboxDeath,
        _ text: String? = nil,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        board.tell(.dead(death), run.entry)
        // What was not sent has one attempt less behind it.
        let attempts =
            switch death {
            case .rejected, .redirected: run.attempt
            case .expired, .damaged, .foreignHost: run.attempt - 1
            }
        let record = OutboxDeathRecord(death, text: text, at: clock.wall(), attempts: attempts)
        await settle(run, .bury(record), in: lane, for: account)
    }

    /// Does on disk what an answer means, and lets go of the lane.
    ///
    /// If the disk fails, that alone is tried again: the item is not sent once more for it.
    private func settle(
        _ run: OutboxStateMachine.Run,
        _ deed: OutboxFolder.Deed,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        let isLast = machine.isLast(run)
        var isDone = false
        do throws(StoreUnavailable) {
            let done: Void? = try await disk.work(in: account.folder) { folder throws(StoreUnavailable) in
                // Another process may have the lane by now; what is owed is done when this one has it again.
                guard lane.isHeld else { throw .suspension }
                try folder.settle(run.entry, deed)
                if isLast { folder.tidyUp(lane) }
            }
            isDone = done != nil
        } catch {}
        lane.release()
        guard isDone else {
            owed[run.entry.id] = deed
            return finish(run, .failed(retryAfter: nil))
        }
        owed[run.entry.id] = nil
        switch deed {
        case .remove: finish(run, .gone)
        case .bury: finish(run, .dead)
        }
        // The session's user became known while an item of its lane was sent: the rest of the lane moves now.
        if account == self.account, let owner = SessionOwner(session.status),
            owner != account.owner
        {
            await look()
        }
    }

    /// Lets go of the lane with its item still there.
    private func letGo(
        _ run: OutboxStateMachine.Run,
        _ ending: OutboxStateMachine.Ending,
        of lane: OutboxFolder.LaneLock
    ) {
        lane.release()
        finish(run, ending)
    }

    private func finish(_ run: OutboxStateMachine.Run, _ ending: OutboxStateMachine.Ending) {
        switch machine.finish(run, ending, now: clock.now(), chance: clock.chance()) {
        case .pausing(let delay): board.tell(.retrying(after: delay), run.entry)
        case .held(let hold):
            board.tell(.held(hold), run.entry)
            if hold == .tokenRefused { awaitAcceptance() }
        case .none, .settled: break
        }
        advance()
    }
}
