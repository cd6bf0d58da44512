// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import SeededRandom

    /// The choices of the users who sign in.
    struct SignInCounters {
        private var random: SeededRandomStream
        private var accounts = 0

        init(seed: UInt64) { random = SeededRandomStream(seed: seed, device: 0, matter: 4) }

        mutating func nextAccount() -> String {
            accounts += 1
            return "user\(accounts)@example.com"
        }

        /// Returns whether the user of the last session signs in again.
        mutating func keepsAccount() -> Bool { random.number(in: 0...2) == 0 }

        /// Returns whether the user taps twice.
        mutating func tapsTwice() -> Bool { random.number(in: 0...3) == 0 }

        /// Whether an account signs in with mailed codes, and otherwise with a password.
        ///
        /// One account does not use both: the first code ends the sessions of an address that was not verified.
        static func usesCodes(_ email: String) -> Bool { email.utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 2) }
    }

    extension History {
        /// Signs in until it succeeds, and tells the other processes.
        func signIn(_ device: Device, _ process: Int, as email: String) async {
            device.account = nil
            device.chosenAccount = email
            device.signIns += 1
            device.signInsUnderWay += 1
            defer { device.signInsUnderWay -= 1 }
            let number = device.signIns
            var attempts = 0
            var isDone = false
            while device.signIns == number {
                await device.clock.awake()
                guard device.signIns == number else { break }
                let tapsTwice = signIns.tapsTwice()
                var retryAfter: Duration?
                let target = device.processes[process]
                let signOuts = target.signOutsBegun
                isDone = await attempt(device, process, "sign-in as \(email)") { session in
                    do {
                        try await signInOnce(session, device, email, attempts, twice: tapsTwice)
                    } catch SessionError.offline(let pause, let failure) {
                        retryAfter = pause
                        throw SessionError.offline(retryAfter: pause, failure: failure)
                    }
                }
                attempts += 1
                // The user has signed out since the sign-in began.
                if isDone, target.lastSignOut > signOuts, device.signIns == number, target.session.state.isSignedIn {
                    journal.violation("\(target.name) is signed in after a sign-out that overtook the sign-in")
                }
                if isDone { break }
                if attempts > 200 { return journal.violation("\(device.name) cannot sign in as \(email)") }
                // With the limits of production, further attempts are refused for hours.
                await pause(max(.seconds(20), retryAfter ?? .zero))
            }
            await reloadProcesses(of: device)
            if isDone { device.signInsDone += 1 }
            let hasSession = isDone && device.processes[process].session.status.email == email
            if hasSession, let id = device.session?.id, device.accounts[id] == nil { device.accounts[id] = email }
            // Another sign-in of the device began in the meantime. If it is done, and was another process's, this one has
            // replaced it: of several processes, the last one that stores its session decides.
            let hasReplaced =
                hasSession && device.account != nil && device.signedInBy.map { $0 != process } ?? false
            guard device.signIns == number || hasReplaced else { return }
            device.account = device.session.flatMap { device.accounts[$0.id] } ?? email
            device.signedInBy = process
            // The session may have ended already.
            let ended = device.lastSession == device.adopted ? nil : device.lastSession
            guard let id = device.session?.id ?? ended else {
                device.adopted = nil
                return
            }
            journal.note("\(device.name) has session \(id)")
            device.adopted = id
            device.signedInAt = SimulationExecutor.shared.now
            device.accounts[id] = email
            if !lostEnds.contains(id) { adopted.insert(id) }
        }

        private func signInOnce(
            _ session: AuthSession,
            _ device: Device,
            _ email: String,
            _ attempts: Int,
            twice: Bool
        ) async throws {
            if usesCodes(email) {
                try await signInByCode(session, device, email, twice: twice)
            } else if attempts.isMultiple(of: 2) {
                try await session.signIn(.password(email: email, password: Self.password))
            } else if device.contract != .freshet {
                await signUpOnAnotherDevice(email)
                try await session.signIn(.password(email: email, password: Self.password))
            } else {
                try await session.signUp(email: email, password: Self.password)
            }
        }

        /// Returns the number of refreshes and sign-outs that a device's other processes have sent.
        private func requestsSentByOthers(than session: AuthSession, of device: Device) -> Int {
            device.processes.reduce(0) { $1.session === session ? $0 : $0 + network.requestsSent[$1.name, default: 0] }
        }

        static var password: String { "correct horse battery" }

        private func signInByCode(
            _ session: AuthSession,
            _ device: Device,
            _ email: String,
            twice: Bool
        ) async throws {
            if let used = device.code.take(), used.email == email {
                // The user enters the code again: the server may return the session of which the sign-out is pending.
                journal.note("\(device.name) uses its code again")
                for process in device.processes { process.transport.forgetRefreshes() }
                device.signedOut = []
                // A process that waits for a slow store sends the requests that it has begun afterwards.
                let wasQuiet = network.requestsUnderWay == 0 && !device.record.wasSlow(inLast: .seconds(10))
                let sent = requestsSentByOthers(than: session, of: device)
                try await session.signIn(.emailCode(used.attempt, code: used.code))
                // No client can take back a sign-out, also one by another process, or a refresh with an intent that it has
                // given up.
                if !wasQuiet || requestsSentByOthers(than: session, of: device) > sent {
                    let returned = device.lastReceived
                    if let returned { expectedEnds.expect([.logout, .fork, .reuse, .staleHolder], of: returned) }
                }
                return
            }
            let number = device.signIns
            let attempt = try await session.requestEmailCode(email: email)
            // The user who began another sign-in does not enter the code of this one.
            guard device.signIns == number else { return }
            guard let code = backend.mailbox.code(for: email) else { return }
            let (promoted, done) = (lostTimes.count, device.signInsDone)
            let credentials = SignInCredentials.emailCode(attempt, code: code)
            async let first = result { try await session.signIn(credentials) }
            var results: [Result<SignInResult, any Error>] = []
            if twice { results.append(await result { try await session.signIn(credentials) }) }
            results.insert(await first, at: 0)
            // Both taps bring the same session, unless the user has signed in otherwise since, or a promoted standby does not
            // have it.
            if twice, device.signIns == number, lostTimes.count == promoted, device.signInsDone == done {
                for case .failure(SessionError.signedOut(.replaced)) in results {
                    journal.violation("one of two taps of \(device.name) is told that another sign-in replaced it")
                }
            }
            // The user is signed in if one tap succeeds.
            if !results.contains(where: { if case .success = $0 { true } else { false } }) { _ = try results[0].get() }
            device.code = Device.UsedCode(email: email, attempt: attempt, code: code)
        }

        private func result<Value: Sendable>(
            _ body: @Sendable () async throws -> Value
        ) async -> Result<Value, any Error> {
            do { return .success(try await body()) } catch { return .failure(error) }
        }
    }
#endif
