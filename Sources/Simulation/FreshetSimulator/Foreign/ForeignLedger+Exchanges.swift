// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    extension ForeignLedger {
        /// The number of refreshes in a minute that no cause justifies.
        private static let maximumRefreshesPerMinute = 30

        /// Steps of this time may lie between the receipt of a response and its storage, or the choice of a token and its use.
        private var simultaneity: Duration { SimulationExecutor.shared.simultaneity }

        // MARK: - Sending

        /// Records a refresh that a process sends, and checks it.
        ///
        /// - Returns: The number of the exchange; `nil` if the request is no refresh.
        func send(_ request: URLRequest, of process: String, deadline: Duration) -> Int? {
            let fields = ForeignRequest(request)
            guard request.url?.path == preset.tokenPath, fields.grantType == "refresh_token",
                let token = fields["refresh_token"].flatMap(token(ofText:))
            else { return nil }
            let now = SimulationExecutor.shared.now
            check(token, of: process, at: now)
            // A response, which may have the only successor, is awaited for four times as long as an attempt lasts.
            let exchange = Exchange(
                process: process,
                token: token,
                sentAt: now,
                attemptEnd: now + deadline / 4 - simultaneity - Oscillator.tolerance(of: deadline)
            )
            exchanges.append(exchange)
            return exchanges.count - 1
        }

        private func check(_ token: RefreshToken, of process: String, at now: Duration) {
            let family = token.family
            if strangers.contains(family) { journal.violation("\(process) presents another user's refresh token") }
            if let end = signedOutAt[family], end + simultaneity < now {
                journal.violation("\(process) presents a refresh token after its sign-out")
            }
            // Another process may have stored a newer one at this time.
            if let stored, stored.family == family, families[family].isDescendant(stored.number, of: token.number),
                let time = storedAt[stored], time + simultaneity < now
            {
                journal.violation("\(process) presents a refresh token that is older than the stored one")
            }
            let other = exchanges.first { other in
                guard other.token.family == family, case .pending = other.result else { return false }
                return now < other.attemptEnd
            }
            if let other {
                journal.violation("\(process) refreshes a session while \(other.process) refreshes it")
            }
            let times = refreshTimes[process, default: []].filter { now - $0 < .seconds(60) } + [now]
            refreshTimes[process] = times
            if times.count > Self.maximumRefreshesPerMinute {
                journal.violation("\(process) sends \(times.count) refreshes in a minute")
            }
        }

        /// Checks a call of the app: it is sent with the tokens of one account, and before they expire.
        func checkCall(_ request: URLRequest, of process: String) {
            guard let text = request.bearerToken else { return }
            guard let token = accessToken(text) else {
                return journal.violation("\(process) calls with a token that \(preset.rawValue) has not issued")
            }
            // A session that cannot be renewed is used until the backend refuses its token.
            let tolerance = simultaneity + Oscillator.tolerance(of: token.lifetime)
            let isExpected = token.hasArrivedLate || !preset.hasRefreshTokens
            if !isExpected, token.expiresAt + tolerance < SimulationExecutor.shared.now {
                journal.violation("\(process) calls with an access token that has expired")
            }
            guard let call = request.value(forHTTPHeaderField: TokenLedger.callField) else { return }
            let account = account(of: token.family)
            if strangers.contains(token.family) {
                journal.violation("\(process) calls with another user's access token")
            }
            if let first = accountsOfCalls[call], first != account {
                journal.violation("call \(call) of \(process) began as \(first) and was sent as \(account)")
            }
            accountsOfCalls[call] = accountsOfCalls[call] ?? account
        }

        // MARK: - Results

        /// Records the response that a process has received.
        ///
        /// - Parameters:
        ///   - number: The number of the exchange.
        ///   - data: The body of the response.
        ///   - mayBeLate: Whether the process may have given up at this time.
        func receive(_ number: Int, _ data: Data, mayBeLate: Bool) {
            let text = String(bytes: data, encoding: .utf8) ?? ""
            receiveAccessTokens(text)
            guard case .pending = exchanges[number].result else { return }
            let isWholeObject = text.hasSuffix("}")
            let isWhole =
                switch exchanges[number].decisions.first {
                case .granted(let successor):
                    contains(data, RefreshToken(family: exchanges[number].token.family, number: successor))
                case .refused: isWholeObject
                case nil: false
                }
            // The repetition of a request may arrive before the request itself, whose response the process receives.
            if !isWhole, isWholeObject {
                exchanges[number].refusedRepetition = exchanges[number].decisions.lastIndex { !$0.isGranted }
            }
            let received = Exchange.Result.received(at: SimulationExecutor.shared.now, isStorable: isStoreAvailable())
            exchanges[number].result = isWhole ? (mayBeLate ? .late : received) : .failed
            // The store may become unavailable between the receipt and the storage.
            SimulationExecutor.shared.schedule(after: .milliseconds(1) + simultaneity) { [self] in
                guard case .received(let time, true) = exchanges[number].result, !isStoreAvailable() else { return }
                exchanges[number].result = .received(at: time, isStorable: false)
            }
        }

        private func contains(_ data: Data, _ token: RefreshToken) -> Bool {
            guard let text = String(bytes: data, encoding: .utf8), text.hasSuffix("}") else { return false }
            // A backend that does not rotate leaves out the token.
            return text.contains(#""refresh-\#(token.family)-\#(token.number)""#) || text.contains(#""access_token""#)
        }

        /// Records the end of an exchange without a response.
        func end(_ number: Int, _ result: Exchange.Result) {
            if case .pending = exchanges[number].result { exchanges[number].result = result }
        }

        /// Records the end of a process.
        func kill(_ process: String) {
            let now = SimulationExecutor.shared.now
            for number in exchanges.indices where exchanges[number].process == process {
                if case .received(_, isStorable: true) = exchanges[number].result,
                    isBeingStored(exchanges[number], at: now)
                {
                    exchanges[number].result = .killed
                }
                end(number, .killed)
            }
        }

        /// Records that the store is unavailable from now on.
        func failStore() {
            let now = SimulationExecutor.shared.now
            for number in exchanges.indices {
                guard case .received(let time, _) = exchanges[number].result, isBeingStored(exchanges[number], at: now)
                else { continue }
                exchanges[number].result = .received(at: time, isStorable: false)
            }
        }

        /// Whether a process has received a successor just now, and has not stored it; a refusal is learned again.
        private func isBeingStored(_ exchange: Exchange, at now: Duration) -> Bool {
            guard case .received(let time, _) = exchange.result, time + simultaneity >= now,
                case .granted(let successor) = exchange.decisions.first
            else { return false }
            return storedAt[RefreshToken(family: exchange.token.family, number: successor)] == nil
        }

        /// Records the refresh token that the device stores from now on.
        func store(_ text: String?) {
            stored = text.flatMap(token(ofText:))
            if let stored, storedAt[stored] == nil { storedAt[stored] = SimulationExecutor.shared.now }
        }

        // MARK: - Limits

        /// Returns the limit of the backend that explains why it refused the refresh token of a session.
        ///
        /// - Returns: `nil` if no refresh was refused, or if the device could have presented a newer token.
        func limit(of family: Int) -> ForeignLimit? {
            // A session that goes on refuses each reuse; the device learned of the last one that it received.
            let relevant = isEnded(family) ? reuses[family]?.first : reuses[family]?.last(where: isReceived)
            return relevant.flatMap(limit)
        }

        /// Whether the device had all refresh tokens of a session that could be refreshed, so that it could sign out.
        func hadNewestToken(_ family: Int) -> Bool {
            let tokens = families[family].tokens.indices.filter { !families[family].isUsed($0) }
            return tokens.allSatisfy { number in
                let token = RefreshToken(family: family, number: number)
                if number == 0 || storedAt[token] != nil { return true }
                return exchanges.contains { exchange in
                    guard exchange.token.family == family, exchange.decisions.first == .granted(number),
                        case .received(_, isStorable: true) = exchange.result
                    else { return false }
                    return true
                }
            }
        }

        private func isReceived(_ reuse: Reuse) -> Bool {
            let exchange = exchanges[reuse.exchange]
            if exchange.refusedRepetition == reuse.arrival { return true }
            switch exchange.result {
            case .received, .late: return reuse.arrival == 0
            case .pending, .failed, .cancelled, .killed: return false
            }
        }

        private func limit(_ reuse: Reuse) -> ForeignLimit? {
            if reuse.arrival > 0 { return .repeatedRequest }
            let late = exchanges[reuse.exchange]
            let granted = exchanges.filter { $0.token == late.token && $0.decisions.contains(where: \.isGranted) }
            for case .granted(let successor) in granted.flatMap(\.decisions) {
                let token = RefreshToken(family: late.token.family, number: successor)
                if let time = storedAt[token], time + simultaneity < late.sentAt { return nil }
            }
            // The parent of the newest token is accepted: the successor was not known, and could not be used.
            let isAccepted = preset == .supabase && !hasNewerBranch(than: late)
            return granted.map { obstacle($0, to: late) }.max().flatMap { obstacle in
                switch obstacle {
                case .none, .awaited: nil
                case .unstored: .unstoredSuccessor
                case .slow: .slowResponse
                case .lost: isAccepted ? nil : .lostResponse
                case .killed: isAccepted ? nil : .endedProcess
                }
            }
        }

        /// Whether a request for an older token arrived after the refresh of an exchange's token, within the reuse interval,
        /// and was granted a token that the device has not stored: the newest token has another parent.
        private func hasNewerBranch(than late: Exchange) -> Bool {
            let family = families[late.token.family]
            guard let first = family.tokens.firstIndex(where: { $0.parent == late.token.number }) else { return false }
            return family.tokens.indices.contains { number in
                let token = RefreshToken(family: late.token.family, number: number)
                let isStored = storedAt[token].map { $0 + simultaneity < late.sentAt } ?? false
                return number > first && !isStored && !family.isDescendant(number, of: late.token.number)
            }
        }

        /// Returns the reason for which a process did not know the successor that another exchange was granted.
        private func obstacle(_ granted: Exchange, to late: Exchange) -> Obstacle {
            let isSameProcess = granted.process == late.process
            switch granted.result {
            case .received(let time, let isStorable) where time + simultaneity < late.sentAt:
                return isStorable || isSameProcess ? .none : .unstored
            // The process still waits for the successor, of which another one that was refused knows nothing.
            case .pending where isSameProcess && !isRefused(toOthersThan: granted): return .awaited
            case .received, .pending, .late, .cancelled: return .slow
            case .failed: return .lost
            case .killed: return .killed
            }
        }

        /// Whether a process other than an exchange's has received a refusal of the same session.
        private func isRefused(toOthersThan granted: Exchange) -> Bool {
            exchanges.contains { other in
                guard other.token.family == granted.token.family, other.process != granted.process,
                    case .received = other.result
                else { return false }
                return other.decisions.first.map { !$0.isGranted } ?? false
            }
        }

        /// The reasons for which a successor is not known, the weakest first.
        private enum Obstacle: Int, Comparable {
            case killed, lost, awaited, slow, unstored, none

            static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
        }
    }

    extension RefreshTokenFamily.Decision {
        fileprivate var isGranted: Bool { if case .granted = self { true } else { false } }
    }
#endif
