// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetNIO
import FreshetOutbox
import FreshetTesting

@testable import FreshetKit
@testable import StressWorker

/// A store with the sessions that share it, as an app with its extension has them, and all that they do.
final class StressScenario: Sendable {
    /// The transport of the requests.
    enum Carrier: String, Sendable, CaseIterable { case inProcess, urlSession, asyncHTTPClient }

    let name: String
    let backend: StressBackend
    let carrier: Carrier
    let base: URL
    let sessions: [AuthSession]
    let stores: [FlakyStore]
    let outbox: RequestOutbox
    let random: RandomStream
    let journal: EventJournal
    let gate = Gate()
    /// Processes that share the store, one after the other.
    let worker: WorkerSupervisor?
    /// Clients that live as long as the household, by handle.
    let remoteClients: [StressGRPCClient.Client]
    let remote: StressGRPCClient
    /// The items that the outbox took over.
    let accepted = Locked<Set<String>>([])
    private let lastNumber = Locked(0)

    init(
        _ name: String,
        _ backend: StressBackend,
        _ carrier: Carrier,
        at base: URL,
        _ remote: StressGRPCClient,
        handles: Int,
        hasWorker: Bool,
        in folder: URL,
        _ random: RandomStream
    ) throws {
        (self.name, self.backend, self.carrier, self.base, self.random) = (name, backend, carrier, base, random)
        self.remote = remote
        journal = backend.journal
        let directory = folder.appending(path: name)
        let store: any SessionStore =
            hasWorker || handles > 1 ? FileStore(directory: directory, name: "session") : InMemoryStore()
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff = RetryBackoff(first: .milliseconds(2), limit: .milliseconds(40))
        configuration.refreshPolicy.minimumInterval = .milliseconds(200)
        configuration.networkMonitor = nil
        configuration.additionalHosts = [remote.host]
        let transport: any HTTPTransport =
            switch carrier {
            case .inProcess: InProcessTransport(backend: backend)
            case .urlSession: URLSessionTransport()
            case .asyncHTTPClient: NIOTransport()
            }
        stores = (0..<handles).map { _ in FlakyStore(store) }
        sessions = try stores.enumerated().map { index, store in
            try AuthSession(
                contract: backend.rule.contract(),
                baseURL: base,
                store: store,
                configuration: configuration,
                transport: LabellingTransport(base: transport, place: "\(name).\(index)")
            )
        }
        remoteClients = try sessions.map { try remote.client(for: $0) }
        var sending = OutboxConfiguration()
        sending.backoff = RetryBackoff(first: .milliseconds(2), limit: .milliseconds(40))
        outbox = try sessions[0].outbox(directory: directory.appending(path: "outbox"), configuration: sending)
        let rule = backend.rule.rawValue
        worker =
            try hasWorker
            ? WorkerSupervisor(name, store, loggingIn: folder, journal) { place in
                [base.absoluteString, directory.path, rule, place, "\(random.int(1...1_000_000))"]
            } : nil
    }

    func nextNumber() -> Int {
        lastNumber.withLock { number in
            number += 1
            return number
        }
    }

    // MARK: Judging

    /// The place that still uses a session whose token was sent to the logout endpoint, if there is one.
    func user(of session: Int, at place: String) -> String? {
        let ledger = backend.ledger
        // A sibling that has yet to look at the store still holds what another one has signed out.
        if sessions.count == 1, worker == nil, let index = Int(place.split(separator: ".").last ?? ""),
            sessions.indices.contains(index),
            let held = sessions[index].published.current.token?.token.value, ledger.session(of: held) == session
        {
            return "held by \(place)"
        }
        // A session whose sign-out could not be recorded is still in the store.
        if stores.contains(where: \.failedLately) { return nil }
        guard let stored = (try? stores[0].base.read())?.session,
            ledger.session(of: stored.refreshToken ?? stored.accessToken) == session
        else { return nil }
        return "stored at \(place)"
    }

    /// The tokens that are stored or owed a logout.
    var knownTokens: Set<String> {
        guard let record = try? stores[0].base.read() else { return [] }
        let stored = record.session.map { $0.refreshToken ?? $0.accessToken }
        return Set([stored].compactMap(\.self) + record.pendingLogouts.compactMap { $0.refreshToken ?? $0.accessToken })
    }

    // MARK: Coming to rest

    func heal() {
        for store in stores { store.fail(read: nil, write: nil) }
    }

    /// Lets every handle look at the store, save what it could not, and put its sign-outs on record.
    func flush() async {
        for session in sessions {
            _ = try? await session.accessToken()
            await session.driver.save()
            await session.reload()
        }
    }

    func deliverLogouts() async {
        for session in sessions { await session.deliverPendingLogouts() }
    }
}
