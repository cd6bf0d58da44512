// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension OutboxDriver {
    private enum Answer {
        case disposition(OutboxDisposition, status: Int)
        /// The server rejected it.
        case dead(OutboxDeadLetterReason, text: String?)
        /// The account is no longer signed in, and nothing was sent.
        case withdrawn
    }

    /// Runs one attempt to send an item, from reading its file to completing it.
    func send(_ run: OutboxStateMachine.Attempt, for account: Account) async {
        let claim: OutboxFolder.ClaimResult?
        do throws(SessionStoreError) {
            claim = try await disk.work(in: account.folder) { [listing] folder throws(SessionStoreError) in
                try folder.claim(run.entry, by: listing)
            }
        } catch {
            return finish(run, .failed(retryAfter: nil))
        }
        switch claim {
        case .gone, nil:
            pendingCompletions[run.entry.id] = nil
            // Another process may have made it a dead letter, which holds the lane. No attempt starts during a scan.
            if machine.holdsLaneOfDeadLetter { await scan(.all) }
            finish(run, .gone, emitting: .gone)
        case .busy: finish(run, .busy)
        case .newer: finish(run, .newer)
        case .outdated:
            // No attempt starts during a scan, and a scan ends with a new listing.
            if !isScanning { await scan(.new) }
            finish(run, .withdrawn)
        case .damaged(let lane): await moveToDeadLetters(run, .damaged, in: lane, for: account)
        case .item(let item, let lane): await send(item, run, in: lane, for: account)
        }
    }

    private func send(
        _ item: OutboxItem,
        _ run: OutboxStateMachine.Attempt,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        if let completion = pendingCompletions[run.entry.id] {
            return await complete(run, completion, in: lane, for: account)
        }
        let maximumAge = configuration.maximumAge
        if run.entry.isExpired(at: clock.wall(), maximumAge: maximumAge) {
            return await moveToDeadLetters(run, .expired, in: lane, for: account)
        }
        guard let request = item.request, session.isPermitted(request) else {
            return await moveToDeadLetters(run, .foreignHost, in: lane, for: account)
        }
        guard machine.isCurrent(run) else { return releaseLane(run, .withdrawn, of: lane) }
        broadcaster.emit(.sending(attempt: run.attempt), run.entry)
        switch await answer(to: request, for: account.owner) {
        case .withdrawn:
            releaseLane(run, .failed(retryAfter: nil), of: lane)
            await scan()
        case .disposition(.retry(let delay), _): releaseLane(run, .failed(retryAfter: delay), of: lane)
        case .disposition(.hold, _):
            releaseLane(run, .refused(TokenIdentity(session.status)), of: lane)
        case .disposition(.delivered, let status):
            await complete(run, .remove, emitting: .delivered(status: status), in: lane, for: account)
        case .disposition(.dead, let status):
            await moveToDeadLetters(run, .rejected(status: status), in: lane, for: account)
        case .dead(let reason, let text): await moveToDeadLetters(run, reason, text, in: lane, for: account)
        }
    }

    /// Sends a request as its owner, and classifies the response.
    private func answer(to request: URLRequest, for owner: SessionOwner) async -> Answer {
        do {
            let reply = try await session.send(request, as: owner)
            let (data, response) = (reply.data, reply.response)
            let redirect = OutboxRedirect(sent: request, answered: reply.request, response)
            let outcome = session.outcome(of: data, response)
            let disposition = configuration.policy.disposition(on: data, response, outcome, after: redirect)
            let status = response.statusCode
            guard disposition == .dead else { return .disposition(disposition, status: status) }
            let isRedirected = redirect != nil && status < 400
            let reason = isRedirected ? OutboxDeadLetterReason.redirected(status: status) : .rejected(status: status)
            return .dead(reason, text: session.refusalText(in: data, response))
        } catch let error as SessionError {
            guard case .signedOut = error else {
                return .disposition(configuration.policy.disposition(on: error), status: 0)
            }
            return .withdrawn
        } catch {
            return .disposition(configuration.policy.disposition(on: error), status: 0)
        }
    }

    // MARK: Completion

    private func moveToDeadLetters(
        _ run: OutboxStateMachine.Attempt,
        _ reason: OutboxDeadLetterReason,
        _ text: String? = nil,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        // An item with one of the reasons in the second case was not sent in this attempt.
        let attempts =
            switch reason {
            case .rejected, .redirected: run.attempt
            case .expired, .damaged, .foreignHost: run.attempt - 1
            }
        let record = OutboxDeadLetterRecord(reason, text: text, at: clock.wall(), attempts: attempts)
        await complete(run, .moveToDeadLetters(record), emitting: .dead(reason), in: lane, for: account)
    }

    /// Completes an item on disk, and releases its lane.
    ///
    /// If the disk fails, only the completion is retried: the item is not sent again, and its event not emitted again.
    private func complete(
        _ run: OutboxStateMachine.Attempt,
        _ completion: OutboxFolder.ItemCompletion,
        emitting event: OutboxEvent.Kind? = nil,
        in lane: OutboxFolder.LaneLock,
        for account: Account
    ) async {
        let isLast = machine.isLast(run)
        var isDone = false
        do throws(SessionStoreError) {
            let done: Void? = try await disk.work(in: account.folder) { folder throws(SessionStoreError) in
                // Another process may hold the lane now; the completion is retried when this process holds it again.
                guard lane.isHeld else { throw .suspension }
                try folder.complete(run.entry, completion)
                if isLast { folder.removeLockFile(lane) }
            }
            isDone = done != nil
        } catch {}
        lane.release()
        guard isDone else {
            pendingCompletions[run.entry.id] = completion
            return finish(run, .failed(retryAfter: nil), emitting: event)
        }
        pendingCompletions[run.entry.id] = nil
        switch completion {
        case .remove: finish(run, .gone, emitting: event)
        case .moveToDeadLetters: finish(run, .dead, emitting: event)
        }
        // The session's user became known while an item of this lane was sent: the rest of the lane is moved now.
        if account == self.account, let owner = SessionOwner(session.status),
            owner != account.owner
        {
            await scan()
        }
    }

    /// Releases the lane, with the item still in it.
    private func releaseLane(
        _ run: OutboxStateMachine.Attempt,
        _ ending: OutboxStateMachine.AttemptResult,
        of lane: OutboxFolder.LaneLock
    ) {
        lane.release()
        finish(run, ending)
    }

    private func finish(
        _ run: OutboxStateMachine.Attempt,
        _ ending: OutboxStateMachine.AttemptResult,
        emitting event: OutboxEvent.Kind? = nil
    ) {
        let consequence = machine.finish(run, ending, now: clock.now(), chance: clock.chance())
        // A reader of the event may make a call at once, whose acceptance ends the hold.
        if consequence == .held(.tokenRefused) { awaitAcceptance() }
        // A reader of the event finds the counts with it.
        publishCounts()
        if let event { broadcaster.emit(event, run.entry) }
        switch consequence {
        case .pausing(let delay): broadcaster.emit(.retrying(after: delay), run.entry)
        case .held(let hold): broadcaster.emit(.held(hold), run.entry)
        case .none, .completed: break
        }
        advance()
    }
}
