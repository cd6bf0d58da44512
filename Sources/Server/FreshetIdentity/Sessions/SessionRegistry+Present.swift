// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
package import FreshetWire
import Logging
import NIOConcurrencyHelpers

extension SessionRegistry {
    /// Processes a request with a refresh token: one atomic change, its publication, and new tokens.
    ///
    /// - Returns: The tokens that a refresh issues; `nil` for every other operation.
    /// - Throws: `APIError` for a refusal, or the database's error.
    package func present(_ request: TokenRequest) async throws -> SessionTokens? {
        let attempt = try begin(request)
        if supersededTokens.mayContain(attempt.token),
            let change = try await database.read({ try Self.changeWithoutWrite(attempt, in: $0) }),
            mayBeAnswered(change)
        {
            observe(attempt, change.value)
            return try answer(attempt, change.value, wasKnownStale: true)
        }
        let change = try await withCheckedThrowingContinuation { continuation in
            commit(attempt) { continuation.resume(with: $0) }
        }
        return try complete(attempt, change)
    }

    /// Answers a request with a refresh token without suspending a task, for event loops.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - execute: Runs a closure on the caller's event loop. The change is published and the tokens are signed there.
    ///   - completion: Receives the result of ``present(_:)``, once: on the event loop, or before this returns if the
    ///     request is refused without a query.
    package func present(
        _ request: TokenRequest,
        on execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Result<SessionTokens?, any Error>) -> Void
    ) {
        let attempt: TokenAttempt
        do { attempt = try begin(request) } catch { return completion(.failure(error)) }
        guard supersededTokens.mayContain(attempt.token) else {
            return write(attempt, on: execute, completion: completion)
        }
        database.query({ try Self.changeWithoutWrite(attempt, in: $0) }) { found in
            switch found {
            case .success(let change?) where mayBeAnswered(change):
                observe(attempt, change.value)
                execute { completion(Result { try answer(attempt, change.value, wasKnownStale: true) }) }
            case .success: write(attempt, on: execute, completion: completion)
            case .failure(let error): execute { completion(.failure(error)) }
            }
        }
    }

    private func write(
        _ attempt: TokenAttempt,
        on execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Result<SessionTokens?, any Error>) -> Void
    ) {
        commit(attempt) { change in execute { completion(Result { try complete(attempt, try change.get()) }) } }
    }

    /// Writes the change that a request causes, and passes it to the observer, in the order of the commits.
    private func commit(
        _ attempt: TokenAttempt,
        completion: @escaping @Sendable (Result<TokenAttempt.Outcome?, any Error>) -> Void
    ) {
        // A server has no observer, and no need for what was decided last.
        let last = observer.map { _ in NIOLockedValueBox<TokenAttempt.Outcome?>(nil) }
        database.change(attempt.token.session) { row in
            let change = attempt.change(to: row)
            last?.withLockedValue { $0 = change.value }
            return change
        } completion: { result in
            switch result {
            case .success(let change): observe(attempt, change)
            case .failure(let error as SQLError) where error.isConnectionLoss || error.isDiskFailure:
                observe(attempt, last?.withLockedValue { $0 }, failure: error)
            case .failure: break
            }
            completion(result)
        }
    }

    /// Applies the rate limits and validates the intent, before any query.
    private func begin(_ request: TokenRequest) throws(APIError) -> TokenAttempt {
        var intent: Intent?
        if case .refresh(let text) = request.operation {
            try limits.take(request.token.session, from: request.source, now: clock())
            intent = try Intent.read(text)
        }
        return TokenAttempt(
            request: request,
            intent: intent,
            knownEnd: ended.reason(of: request.token.session),
            clock: clock.reading(),
            keys: keys,
            policy: policy,
            lifetimes: lifetimes
        )
    }

    /// Evaluates a superseded token with a read only, so that repeated attempts do not wait for the writer.
    ///
    /// - Returns: The change; `nil` if the session does not exist, or the change must be written.
    private static func changeWithoutWrite(
        _ attempt: TokenAttempt,
        in database: any SQLConnection
    ) throws -> TokenAttempt.Change? {
        guard let row = try SessionTable.find(attempt.token.session, in: database) else { return nil }
        let change = attempt.change(to: row)
        return change.row == nil ? change : nil
    }

    /// Whether a change that needs no write may be answered: the commits that it depends on, and that a power failure would
    /// undo, must be flushed before, which the writer does.
    private func mayBeAnswered(_ change: TokenAttempt.Change) -> Bool {
        !change.dependsOnEarlierCommits || !database.mayLoseCommits
    }

    // MARK: - After the commit

    /// Publishes a committed change, before the response is sent.
    ///
    /// - Throws: `invalidGrant` if there is no such session.
    private func complete(
        _ attempt: TokenAttempt,
        _ change: (before: SessionRow, decision: RotationDecision)?
    ) throws -> SessionTokens? {
        let token = attempt.token
        guard let change else {
            log.notice("unknown session", metadata: ["by": "\(attempt.name)", "session": "\(token.session)"])
            throw APIError(.invalidGrant, "no such session")
        }
        if let end = change.decision.row?.ending {
            if attempt.knownEnd != nil {
                log.warning(
                    "the database had lost the end of a session, which ends again",
                    metadata: ["session": "\(token.session)", "reason": "\(end.reason.rawValue)"]
                )
            }
            publishEnd(of: [token.session], change.before.user, end.reason, at: end.at)
        }
        let lost = change.decision.lostCommits(since: change.before)
        if lost > 0 {
            lostCommits.record(lost, ["by": "\(attempt.name)", "session": "\(token.session)"], to: log)
        }
        switch change.decision.answer {
        case .superseded: supersededTokens.insert(token)
        case .refused(.keyUnavailable): unknownKeys.report(token.body.keyID, at: attempt.now, to: log)
        case .served, .ended, .recorded, .refused: break
        }
        return try answer(attempt, change)
    }

    /// Publishes an end that was found, logs the outcome, emits its event, and signs the access token of a refresh that was served.
    ///
    /// - Throws: The error that the client receives instead of tokens.
    private func answer(
        _ attempt: TokenAttempt,
        _ change: (before: SessionRow, decision: RotationDecision),
        wasKnownStale: Bool = false
    ) throws -> SessionTokens? {
        publishFoundEnd(of: change.before)
        let row = change.decision.row ?? change.before
        publish(attempt, change, row, wasKnownStale: wasKnownStale)
        switch (attempt.request.operation, change.decision.answer) {
        case (.refresh, .served(let successor, _)):
            // The response to a refresh contains only the user's ID; the email address is in the responses to sign-ins
            // and to `/v1/me`.
            return try grant(successor, row, UserInfo(id: SessionID(row.user).description))
        case (.confirm, .recorded), (.report, .recorded), (.logout, .recorded): return nil
        case (_, let answer): throw APIError(answer)
        }
    }

    private func publish(
        _ attempt: TokenAttempt,
        _ change: (before: SessionRow, decision: RotationDecision),
        _ row: SessionRow,
        wasKnownStale: Bool
    ) {
        let token = attempt.token
        let outcome = change.decision.answer.name
        // String interpolation here would slow down every refresh.
        let metadata: Logger.Metadata = [
            "session": .string(token.session.description), "generation": .string(String(token.generation)),
            "outcome": .string(outcome),
        ]
        log.info(Logger.Message(stringLiteral: attempt.name), metadata: metadata.naming(row.contract))
        events.emit(
            .presented(
                ServerEvent.Presentation(
                    call: attempt.name,
                    session: ServerEvent.SessionFacts(change.before),
                    isInRun: change.decision.answer.isOrdinary,
                    generation: token.generation,
                    outcome: outcome,
                    hasEnded: change.decision.row?.ending != nil,
                    wasKnownStale: wasKnownStale,
                    lostCommits: change.decision.lostCommits(since: change.before),
                    at: attempt.now,
                    duration: ContinuousClock.now - attempt.start
                )
            )
        )
    }
}

extension RotationDecision {
    /// The number of generations that the database lost.
    ///
    /// Without a loss, a token proves at most the next generation.
    fileprivate func lostCommits(since before: SessionRow) -> UInt64 {
        let (known, current) = (before.rotation.current, (row ?? before).rotation.current)
        return current > known + 1 ? current - known - 1 : 0
    }
}
