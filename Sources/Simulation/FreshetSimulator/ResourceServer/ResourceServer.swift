// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetJWT
    import SeededRandom

    /// A resource server of the servers' tokens: its verifier, which follows the feed of ended sessions, is the real one.
    final class ResourceServer: @unchecked Sendable {
        /// The time after which the verifier refuses the tokens of a session whose end the servers know: a scan of the feed and
        /// the response.
        private var propagation: Duration { backend.propagation }
        /// The time between two fetches of the keys, and that of one that fails.
        private static let keyInterval = Duration.seconds(60 + 10)

        private let backend: Backend
        private let ledger: TokenLedger
        private let journal: Journal
        private var random: SeededRandomStream
        private var verifier: TokenVerifier?
        private var follower: Task<Void, Never>?
        /// Whether requests are lost; the end of a history has no faults.
        var hasFaults = true
        /// The time since which all requests for ended sessions have succeeded; `nil` if the last one failed.
        private var followsSince: Duration?
        /// The time at which a request for the keys failed last.
        private var keysFailedAt: Duration?
        private(set) var counts = ResourceServerCounts()

        init(seed: UInt64, _ backend: Backend, _ ledger: TokenLedger, _ journal: Journal) {
            random = SeededRandomStream(seed: seed, device: 0, matter: 120)
            self.backend = backend
            self.ledger = ledger
            self.journal = journal
        }

        // MARK: - Life

        func start() {
            guard let server = URL(string: ServerProcess.issuer) else { return }
            let rules = TokenRules(issuer: ServerProcess.issuer, audience: ServerProcess.audience)
            let client = ClientCredentials(id: OAuthForm.backendID, secret: OAuthForm.backendSecret)
            do {
                let verifier = try TokenVerifier(server: server, rules: rules, client: client) { [weak self] request in
                    guard let self else { throw CancellationError() }
                    return try await fetch(request)
                }
                self.verifier = verifier
                follower = Task { [journal] in
                    await verifier.followEndedSessions { journal.note("the feed of ended sessions fails: \($0)") }
                }
            } catch {
                journal.violation("no verifier: \(error)")
            }
            ledger.didIssue = { [weak self] token, session in self?.issued(token, session) }
            ledger.didEnd = { [weak self] session in self?.ended(session) }
        }

        func end() {
            follower?.cancel()
            verifier = nil
            (ledger.didIssue, ledger.didEnd) = (nil, nil)
        }

        // MARK: - Requests

        private func fetch(_ request: IssuerRequest) async throws -> IssuerResponse {
            let isForKeys = request.authorization == nil
            do {
                await pause(.milliseconds(random.number(in: 1...60)))
                if hasFaults, random.number(in: 1...20) == 1 {
                    if !isForKeys { followsSince = nil }
                    await pause(.seconds(10))
                    throw URLError(.timedOut)
                }
                var question = URLRequest(url: request.url)
                question.setValue(request.authorization, forHTTPHeaderField: "Authorization")
                let (data, head) = try await backend.respond(to: question, bodyDelay: .zero) {}
                await pause(.milliseconds(random.number(in: 1...60)))
                if head.statusCode != 200 { throw IssuerFetchError.status(head.statusCode) }
                if !isForKeys { followsSince = followsSince ?? SimulationExecutor.shared.now }
                return IssuerResponse(
                    status: head.statusCode,
                    cacheControl: head.value(forHTTPHeaderField: "Cache-Control"),
                    body: Array(data)
                )
            } catch {
                if isForKeys { keysFailedAt = SimulationExecutor.shared.now } else { followsSince = nil }
                throw error
            }
        }

        private func pause(_ time: Duration) async {
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: time) { continuation.resume() }
            }
        }

        // MARK: - Invariants

        /// A client calls with the token some time after it was issued.
        private func issued(_ token: String, _ session: String) {
            let time = Duration.milliseconds(random.number(in: 0...40_000))
            check(after: time) { [self] in
                let start = SimulationExecutor.shared.now
                let result = await verify(token)
                switch result {
                case nil: counts.accepted += 1
                case .sessionEnded:
                    counts.refused += 1
                    // The servers end sessions before they answer. The feed may have told an end that is lost.
                    let isKnown = ledger.end(of: session) != nil || backend.hasEnded(session) || ledger.powerCuts > 0
                    if !isKnown, backend.isRunning {
                        journal.violation("a resource server refuses session \(session), which is alive")
                    }
                case .expired, .keysUnavailable: break
                // The next request for the keys is a minute after one that failed.
                case .unknownKey where keysFailedAt.map({ start - $0 < Self.keyInterval }) ?? false: break
                case .unknownKey where backend.mayHaveOlderKeys(inLast: .seconds(40)): break
                case .issuedLater where backend.hasDatabaseClockJump: break
                case .some(let error):
                    journal.violation("a resource server refuses a token of session \(session): \(error)")
                }
            }
        }

        /// A client calls with the newest token of a session some seconds after its end.
        private func ended(_ session: String) {
            guard let token = ledger.newestAccessToken[session], let end = ledger.end(of: session) else { return }
            // The servers know of no session whose sign-in was lost.
            guard !ledger.isLost(session) else { return }
            let losses = ledger.powerCuts
            let known = ledger.everyServerKnows(end.at) ?? end.at
            check(after: known + propagation - SimulationExecutor.shared.now) { [self] in
                // The database was away in the meantime, or has lost the end.
                guard ledger.everyServerKnows(end.at) == known, ledger.powerCuts == losses else { return }
                guard let followsSince, followsSince < end.at, await verify(token) == nil else { return }
                journal.violation("a resource server accepts a token of session \(session) after \(end.cause)")
            }
        }

        private func verify(_ token: String) async -> TokenVerificationError? {
            do throws(TokenVerificationError) {
                _ = try await verifier?.verify(token)
                return nil
            } catch {
                return error
            }
        }

        private func check(after time: Duration, _ check: @escaping () async -> Void) {
            nonisolated(unsafe) let check = check
            SimulationExecutor.shared.schedule(after: time) { [weak self] in
                guard let self, verifier != nil else { return }
                Task { await check() }
            }
        }
    }

    /// The figures of a resource server.
    package struct ResourceServerCounts: Sendable, Equatable {
        /// The number of tokens that it accepted.
        var accepted = 0
        /// The number of tokens of ended sessions that it refused.
        var refused = 0

        var text: String { "tokens that a resource server accepted: \(accepted), of ended sessions \(refused)" }

        static func += (counts: inout Self, other: Self) {
            counts.accepted += other.accepted
            counts.refused += other.refused
        }
    }
#endif
