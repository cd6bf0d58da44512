// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

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
        }

        let session: String
        private let strategy: Strategy
        private let transport: SimulatedTransport
        private let process: SimulatedProcess
        private var token: String
        private let intent: String?
        private let journal: Journal

        /// Copies the record of a device.
        ///
        /// - Returns: `nil` if it has no session with a refresh token.
        init?(from device: Device, _ network: SimulatedNetwork, name: String, strategy: Int) throws {
            guard let stored = device.session, let token = stored.refreshToken else { return nil }
            session = stored.id
            self.token = token
            intent = stored.intent
            self.strategy = Strategy.allCases[strategy % Strategy.allCases.count]
            journal = network.journal
            let copy = Device(name)
            copy.record.record = device.record.record
            copy.contract = device.contract
            process = try SimulatedProcess(name, on: copy, network: network, as: .thief)
            transport = SimulatedTransport(network, of: name, as: .thief) { body, path in
                network.trace.map { copy.traceToken(body, path, as: .thief, isNative: true, to: $0) }
            }
            journal.note("\(name) copies the record of \(device.name), and plays \(self.strategy)")
        }

        func end() {
            process.kill()
            transport.close()
        }

        func refreshes() async -> Bool {
            if strategy != .app { return await refresh(Intent.random().text) }
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
            case .app:
                _ = try? await process.session.refresh()
            case .ownIntent: await refresh(Intent.random().text)
            case .stolenIntent: await refresh(intent ?? Intent.random().text)
            case .confirms:
                _ = await post(NativePath.confirm, TokenBody(refreshToken: token))
                await refresh(Intent.random().text)
            case .reports:
                _ = await post(NativePath.report, TokenBody(refreshToken: token))
                await refresh(Intent.random().text)
            }
        }

        @discardableResult
        private func refresh(_ intent: String) async -> Bool {
            guard let data = await post(NativePath.refresh, TokenBody(refreshToken: token, intent: intent)),
                let next = try? JSONDecoder().decode(TokenBody.self, from: data)
            else { return false }
            token = next.refreshToken
            return true
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
#endif
