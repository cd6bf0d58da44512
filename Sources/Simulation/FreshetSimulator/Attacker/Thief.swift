// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire
    import SeededRandom

    /// A thief with a copy of a refresh token.
    protocol TokenThief {
        var session: String { get }

        /// Refreshes the newest token once.
        ///
        /// - Returns: Whether a server granted it.
        func refreshes() async -> Bool
    }

    /// A thief with a copy of a device's record.
    final class Thief: TokenThief, @unchecked Sendable {
        /// The use that a thief makes of the copy.
        private enum Strategy: Int, CaseIterable {
            /// Uses it in the app.
            case app
            /// Refreshes with an intent of his own.
            case ownIntent
            /// Refreshes with the intent of the record, if there is one.
            case stolenIntent
            /// Confirms or reports the token before he refreshes.
            case confirms, reports
            /// Sends any requests with any of the tokens that he has had, some of them at a time.
            case improvises

            /// The strategy of an action of this size.
            init(size: Int) {
                let planned = Self.allCases.dropLast()
                self = size / 6 % 4 < 2 ? planned[size % planned.count] : .improvises
            }

            /// The requests of one act; empty for those that are drawn, and for the app's.
            var moves: [ThiefMove] {
                switch self {
                case .app, .improvises: []
                case .ownIntent: [.refresh(.new)]
                case .stolenIntent: [.refresh(.stolen)]
                case .confirms: [.confirm, .refresh(.new)]
                case .reports: [.report, .refresh(.new)]
                }
            }
        }

        let session: String
        private var hasSignedOut = false
        private let strategy: Strategy
        private let transport: SimulatedTransport
        private let process: SimulatedProcess
        /// The refresh tokens that he has had, the newest last.
        private var tokens: [String]
        private var accessToken: String?
        private let stolenIntent: String?
        private var lastIntent: String?
        private var random: SeededRandomStream
        private let journal: Journal

        /// Copies the record of a device; `nil` if it has no session with a refresh token.
        ///
        /// - Parameters:
        ///   - device: The device.
        ///   - network: The network to the servers.
        ///   - name: The thief's name, for the story.
        ///   - size: The size of the action, which decides what he does.
        /// - Throws: The error of a record that cannot be read.
        init?(from device: Device, _ network: SimulatedNetwork, name: String, size: Int) throws {
            guard let stored = device.session, let token = stored.refreshToken else { return nil }
            session = stored.id
            tokens = [token]
            accessToken = stored.accessToken
            stolenIntent = stored.intent
            strategy = Strategy(size: size)
            random = SeededRandomStream(seed: UInt64(size), device: 0, matter: 43)
            journal = network.journal
            let copy = Device(name)
            copy.record.record = device.record.record
            copy.contract = device.contract
            process = try SimulatedProcess(name, on: copy, network: network, as: .thief)
            transport = SimulatedTransport(network, of: name, as: .thief) { body, path in
                network.trace.map { copy.traceToken(body, path, as: .thief, isNative: true, to: $0) }
            }
            journal.note("\(name) copies the record of \(device.name), and plays \(strategy)")
        }

        /// Whether he may have ended the session for a reason: it was stolen, or he has signed out.
        func mayCause(_ reason: SignOutReason) -> Bool { reason.isTheft || reason == .logout && hasSignedOut }

        func end() {
            process.kill()
            transport.close()
        }

        func refreshes() async -> Bool {
            if strategy != .app { return await refresh(tokens.last, .new) }
            do {
                try await process.session.refresh()
                return true
            } catch {
                return false
            }
        }

        /// Acts once.
        func act() async {
            switch strategy {
            case .app: _ = try? await process.session.refresh()
            case .improvises: await improvise()
            default: for move in strategy.moves { await perform(move, with: tokens.last) }
            }
        }

        /// Sends up to five requests; most present his newest token, and a third are not waited for.
        private func improvise() async {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<random.number(in: 1...5) {
                    let move = ThiefMove.random(&random)
                    let isNewest = random.number(in: 0...2) > 0
                    let token = isNewest ? tokens.last : tokens[random.number(in: 0...tokens.count - 1)]
                    if random.number(in: 0...2) == 0 {
                        group.addTask { await self.perform(move, with: token) }
                    } else {
                        await perform(move, with: token)
                    }
                }
            }
        }

        private func perform(_ move: ThiefMove, with token: String?) async {
            switch move {
            case .refresh(let intent): await refresh(token, intent)
            case .refreshTwice:
                async let first = refresh(token, .new)
                async let second = refresh(token, .new)
                _ = await (first, second)
            case .confirm: _ = await post(NativePath.confirm, TokenBody(refreshToken: token ?? ""))
            case .report: _ = await post(NativePath.report, TokenBody(refreshToken: token ?? ""))
            case .call: await call()
            case .logout:
                hasSignedOut = true
                _ = await post(NativePath.logout, TokenBody(refreshToken: token ?? ""))
            }
        }

        private func text(of intent: ThiefMove.Intent) -> String? {
            switch intent {
            case .new: Intent.random().text
            case .last: lastIntent ?? Intent.random().text
            case .stolen: stolenIntent ?? Intent.random().text
            case .none: nil
            }
        }

        @discardableResult
        private func refresh(_ token: String?, _ intent: ThiefMove.Intent) async -> Bool {
            guard let token else { return false }
            let intent = text(of: intent)
            lastIntent = intent ?? lastIntent
            guard let data = await post(NativePath.refresh, TokenBody(refreshToken: token, intent: intent)),
                let next = try? JSONDecoder().decode(ThiefGrant.self, from: data)
            else { return false }
            tokens.append(next.refreshToken)
            accessToken = next.accessToken
            return true
        }

        private func call() async {
            guard let accessToken, let url = URL(string: SimulatedProcess.baseURL + NativePath.me) else { return }
            var request = URLRequest(url: url)
            request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
            _ = try? await transport.data(for: request)
        }

        private func post(_ path: String, _ body: TokenBody) async -> Data? {
            guard let url = URL(string: SimulatedProcess.baseURL + path), let data = try? JSONEncoder().encode(body)
            else { return nil }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = data
            guard let (reply, head) = try? await transport.data(for: request), head.statusCode == 200 else {
                return nil
            }
            return reply
        }
    }

    /// The tokens that a thief receives.
    private struct ThiefGrant: Decodable {
        var refreshToken: String
        var accessToken: String

        private enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
            case accessToken = "access_token"
        }
    }
#endif
