// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Logging
import NIOConcurrencyHelpers

/// Delivers mails one after the other on a thread of its own, and tries again after a fault that may pass.
///
/// It is kept in memory: what a crash takes along is a code that can be asked for again, or a notice.
final class MailQueue: Sendable {
    /// More mails than this are not taken on.
    static let capacity = 256
    /// How long to wait before the second try, the third, and so on; then it is given up.
    static let delays: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]
    /// How long a server that stops waits for what is on its way.
    static let patience = Duration.seconds(5)

    private struct Job: Sendable {
        var mail: MailMessage
        var tries = 0
        var dueAt = ContinuousClock.now
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isAtWork = false
        var hasThread = false
        var isClosed = false
    }

    private let carrier: MailCarrier
    private let format: MailFormat
    private let delays: [Duration]
    private let log: Logger
    private let clock: @Sendable () -> Timestamp
    /// Counts what happened, so that a thread that waits sees it; guards nothing.
    private let bell = NSCondition()
    private let state = NIOLockedValueBox(State())

    init(
        _ carrier: MailCarrier,
        format: MailFormat,
        delays: [Duration] = MailQueue.delays,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.carrier = carrier
        self.format = format
        self.delays = delays
        self.log = log
        self.clock = clock
    }

    /// Takes a mail on, if there is room; never waits.
    func add(_ mail: MailMessage) {
        let (isTaken, mustStart) = state.withLockedValue { state in
            guard !state.isClosed, state.jobs.count < Self.capacity else { return (false, false) }
            state.jobs.append(Job(mail: mail))
            defer { state.hasThread = true }
            return (true, !state.hasThread)
        }
        if !isTaken { log.error("mail not taken: too many wait", metadata: Self.metadata(mail)) }
        if mustStart { Thread.detachNewThread { [self] in work() } }
        ring()
    }

    /// Takes no more; returns when nothing is left that can be delivered at once, or after ``patience``.
    func close() async {
        await withCheckedContinuation { continuation in
            // It waits, so it must not be one of the few threads that everything else runs on.
            Thread.detachNewThread { [self] in
                closeNow()
                continuation.resume()
            }
        }
    }

    private func closeNow() {
        state.withLockedValue { $0.isClosed = true }
        ring()
        let end = Date(timeIntervalSinceNow: Double(Self.patience.milliseconds) / 1000)
        bell.lock()
        while state.withLockedValue({ $0.isAtWork || $0.jobs.contains { $0.tries == 0 } }), bell.wait(until: end) {}
        bell.unlock()
        let lost = state.withLockedValue { $0.jobs.count }
        if lost > 0 { log.warning("mails lost", metadata: ["count": "\(lost)"]) }
    }

    private func ring() {
        bell.lock()
        bell.broadcast()
        bell.unlock()
    }

    private func work() {
        while let job = next() {
            deliver(job)
            state.withLockedValue { $0.isAtWork = false }
            ring()
        }
    }

    /// Waits for a mail whose time has come.
    ///
    /// - Returns: `nil` once the queue is closed and holds nothing that was never tried.
    private func next() -> Job? {
        bell.lock()
        defer { bell.unlock() }
        while true {
            let now = ContinuousClock.now
            let (job, wakeAt, isOver) = state.withLockedValue { state -> (Job?, ContinuousClock.Instant?, Bool) in
                let first = state.jobs.indices.min { state.jobs[$0].dueAt < state.jobs[$1].dueAt }
                guard let first else { return (nil, nil, state.isClosed) }
                let dueAt = state.jobs[first].dueAt
                guard dueAt <= now else { return (nil, dueAt, state.isClosed) }
                state.isAtWork = true
                return (state.jobs.remove(at: first), nil, false)
            }
            if let job { return job }
            if isOver { return nil }
            if let wakeAt {
                _ = bell.wait(until: Date(timeIntervalSinceNow: Double((wakeAt - now).milliseconds + 1) / 1000))
            } else {
                bell.wait()
            }
        }
    }

    private func deliver(_ job: Job) {
        let now = clock()
        var metadata = Self.metadata(job.mail)
        guard now < job.mail.staleAt else { return log.error("mail given up: too late", metadata: metadata) }
        if job.mail.isForNobody { return }
        guard let outgoing = format.write(job.mail, at: now) else {
            return log.error("mail refused: its address cannot be written", metadata: metadata)
        }
        do throws(MailCarrier.Fault) {
            try carrier.deliver(outgoing)
            log.info("mail sent", metadata: metadata)
        } catch {
            metadata["fault"] = "\(error.reason)"
            guard error.isPassing, job.tries < delays.count else {
                return log.error("mail failed", metadata: metadata)
            }
            log.warning("mail delayed", metadata: metadata)
            var job = job
            job.dueAt = ContinuousClock.now + delays[job.tries]
            job.tries += 1
            let next = job
            state.withLockedValue { state in state.jobs.append(next) }
        }
    }

    /// Whose mail it is, for an operator: the domain, and a letter of the rest.
    private static func metadata(_ mail: MailMessage) -> Logger.Metadata {
        let parts = mail.recipient.text.split(separator: "@")
        return ["kind": "\(mail.kind.rawValue)", "to": "\(parts[0].prefix(1))•••@\(parts.last ?? "")"]
    }
}
