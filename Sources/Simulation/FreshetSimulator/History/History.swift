// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetTesting
    import SeededRandom

    /// A random history of one device: some processes of an app that share a store, a faulty network, and a backend.
    ///
    /// Sessions, contract and state machines are the SDK's own. A seed decides everything else.
    package final class History: @unchecked Sendable {
        private let journal: Journal
        private let backend = TestBackend()
        private let network: SimulatedNetwork
        private let record = SharedRecord()
        private var random: SeededRandomStream
        private var processes: [SimulatedProcess] = []
        private var report = HistoryReport()
        private var isOver = false
        /// Whether the user changes accounts in this history.
        private let hasSwitches: Bool
        /// The account of the device; `nil` while the user changes it.
        private var account: String?
        private var accounts = 0
        /// Sign-ins whose session the client may never have learned of.
        private var failedSignIns = 0

        /// Runs the history of a seed.
        ///
        /// - Parameters:
        ///   - seed: The seed; equal seeds give equal histories.
        ///   - print: Receives a line for each event.
        /// - Returns: The history's figures, and the invariants that it violated.
        /// - Throws: `SessionError` if no session can be created.
        package static func run(seed: UInt64, print: ((String) -> Void)? = nil) throws -> HistoryReport {
            SimulationExecutor.shared.start(seed: seed)
            defer { SimulationExecutor.shared.end() }
            return try History(seed, print).run()
        }

        private init(_ seed: UInt64, _ print: ((String) -> Void)?) {
            journal = Journal(print: print)
            random = SeededRandomStream(seed: seed, device: 0, matter: 2)
            hasSwitches = random.number(in: 0...1) == 1
            network = SimulatedNetwork(seed: seed, journal: journal) { [backend] in try await backend.data(for: $0) }
        }

        private func run() throws -> HistoryReport {
            let executor = SimulationExecutor.shared
            backend.lifetime = 60 * random.number(in: 1...15)
            processes = [try start("process 0")]
            Task { await live() }
            executor.run(until: .seconds(30 * 86_400)) { isOver }
            if !isOver { journal.violation("callers were not answered: \(report.calls - report.answers)") }
            for process in processes { process.kill() }
            processes = []
            // Tasks of killed processes end by themselves, and late repetitions arrive.
            executor.run(until: .seconds(60 * 86_400))
            report.steps = executor.steps
            report.faults = network.counts
            report.fingerprint = journal.fingerprint
            report.violations = journal.violations
            return report
        }

        private func start(_ name: String) throws -> SimulatedProcess {
            try SimulatedProcess(name, record: record, network: network)
        }

        // MARK: - Workload

        private func live() async {
            await signIn(0)
            do {
                for number in 0..<random.number(in: 0...2) { processes.append(try start("process \(number + 1)")) }
            } catch {
                journal.violation("no start: \(error)")
            }
            await withTaskGroup { group in
                for index in processes.indices { group.addTask { await self.use(index) } }
            }
            await recover()
            isOver = true
        }

        /// Signs in with a new account, and tells the other processes.
        private func signIn(_ index: Int) async {
            accounts += 1
            let email = "user\(accounts)@example.com"
            network.hasFaults = false
            while true {
                do {
                    _ = try await processes[index].session.signIn(.password(email: email, password: "correct horse"))
                    break
                } catch {
                    failedSignIns += 1
                    journal.note("sign-in of process \(index): \(error)")
                }
            }
            network.hasFaults = true
            for process in processes { await process.session.reload() }
            account = email
        }

        private func switchAccount(_ index: Int) async {
            guard account != nil else { return }
            account = nil
            journal.note("\(processes[index].name) signs out")
            do { try await processes[index].session.signOut() } catch { journal.note("sign-out: \(error)") }
            await signIn(index)
        }

        private func use(_ index: Int) async {
            for _ in 0..<random.number(in: 4...20) {
                await pause(.milliseconds(random.number(in: 0...1_500_000)))
                switch random.number(in: 0...19) {
                case 0...1:
                    let moment = Duration.milliseconds(random.number(in: 0...200))
                    SimulationExecutor.shared.schedule(after: moment) { self.restart(index) }
                    await call(processes[index])
                case 2:
                    journal.note("the backend refuses all access tokens")
                    backend.revokeAccessTokens()
                case 3: await attempt(processes[index], "refresh") { try await $0.refresh() }
                case 4 where hasSwitches:
                    // Calls of the account before are under way when it changes.
                    await withTaskGroup { group in
                        for process in processes { group.addTask { await self.call(process) } }
                        await pause(.milliseconds(random.number(in: 0...300)))
                        await switchAccount(index)
                    }
                default:
                    await withTaskGroup { group in
                        for _ in 0..<random.number(in: 1...3) {
                            group.addTask { await self.call(self.processes[index]) }
                        }
                    }
                }
                checkSignedIn()
            }
        }

        /// Kills a process in the middle of whatever it does, and starts it again.
        private func restart(_ index: Int) {
            let name = processes[index].name
            journal.note("\(name) is killed, and starts again")
            report.kills += 1
            processes[index].kill()
            do { processes[index] = try start(name) } catch { journal.violation("no start: \(error)") }
        }

        private func call(_ process: SimulatedProcess) async {
            await attempt(process, "call") { session in
                guard let url = URL(string: SimulatedProcess.baseURL + "/notes") else { throw URLError(.badURL) }
                var request = URLRequest(url: url)
                request.setValue("\(self.report.calls)", forHTTPHeaderField: TokenLedger.callField)
                let (_, response) = try await session.data(for: request)
                guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
            }
        }

        private func attempt(
            _ process: SimulatedProcess,
            _ action: String,
            _ body: (AuthSession) async throws -> Void
        ) async {
            report.calls += 1
            do {
                try await body(process.session)
                report.successes += 1
                journal.note("\(action) of \(process.name): done")
            } catch {
                journal.note("\(action) of \(process.name): \(error)")
            }
            report.answers += 1
        }

        /// With a working network, every process gets an answer within an hour.
        private func recover() async {
            network.hasFaults = false
            journal.note("the network works")
            await pause(.seconds(3600))
            for process in processes {
                let before = report.successes
                await call(process)
                if report.successes == before { journal.violation("\(process.name) does not recover") }
            }
            checkSignedIn()
            if backend.liveSessions > 1 + failedSignIns {
                journal.violation("\(backend.liveSessions) sessions are alive, after \(failedSignIns) failed sign-ins")
            }
        }

        private func pause(_ duration: Duration) async {
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: duration) { continuation.resume() }
            }
        }

        // MARK: - Invariants

        /// Unless the user changes the account, no process may show a login screen.
        private func checkSignedIn() {
            guard let account else { return }
            for process in processes {
                if let user = process.session.status.userID, user != "u-\(account)" {
                    journal.violation("\(process.name) is signed in as \(user), and not as \(account)")
                }
                switch process.session.state {
                case .signedOut(let reason):
                    journal.violation("\(process.name) is signed out: \(reason.map { "\($0)" } ?? "no reason")")
                case .recordUnusable(let error): journal.violation("\(process.name) has an unusable record: \(error)")
                case .unknown, .active, .refreshing, .offline, .ending: break
                }
            }
        }
    }

    /// The figures of one history, and the invariants that it violated.
    package struct HistoryReport: Sendable, Equatable {
        package fileprivate(set) var steps = 0
        package fileprivate(set) var calls = 0
        package fileprivate(set) var answers = 0
        package fileprivate(set) var successes = 0
        package fileprivate(set) var kills = 0
        package fileprivate(set) var faults: [NetworkFault: Int] = [:]
        /// Equal for histories with the same events at the same times.
        package fileprivate(set) var fingerprint: UInt64 = 0
        /// The invariants that were violated, in plain words; empty for a correct client.
        package fileprivate(set) var violations: [String] = []

        fileprivate init() {}
    }
#endif
