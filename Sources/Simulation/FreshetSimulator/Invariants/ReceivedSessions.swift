// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetEngine
    import FreshetWire

    /// The sessions whose tokens a process of the owner has received: it uses them, or signs them out.
    final class ReceivedSessions: @unchecked Sendable {
        private struct Receipt {
            var process: String
            var at: Duration
        }

        /// The time in which a process stores a session or its sign-out.
        private static let storingTime: Duration = .seconds(120)

        private var receipts: [String: Receipt] = [:]
        /// Sessions whose ends may be lost: a late response to a refresh says nothing about them.
        private var forgotten: Set<String> = []

        /// Records the session of a response that a process has received.
        func received(_ data: Data, by process: String) {
            guard let text = ServedTokens.refreshToken(in: data), let token = try? RefreshToken(text) else { return }
            let session = token.session.description
            guard receipts[session] == nil, !forgotten.contains(session) else { return }
            receipts[session] = Receipt(process: process, at: SimulationExecutor.shared.now)
        }

        /// Whether a process has received a session, and must have stored it or its sign-out.
        func contains(_ session: String) -> Bool { receipts[session] != nil }

        /// Forgets what a process that ends may not have stored.
        ///
        /// - Parameters:
        ///   - process: The name of the process.
        ///   - isSaved: Whether the process says that it has stored a session or its sign-out.
        func ended(_ process: String, isSaved: (_ session: String) -> Bool) {
            let now = SimulationExecutor.shared.now
            receipts = receipts.filter { session, receipt in
                receipt.process != process || receipt.at + Self.storingTime < now && isSaved(session)
            }
        }

        /// Forgets all sessions but those in use, as their ends may be lost, and those whose ends are lost.
        func forget(except current: Set<String>, lost: Set<String> = []) {
            forgotten.formUnion(receipts.keys.filter { !current.contains($0) })
            forgotten.formUnion(lost)
            receipts = [:]
        }
    }
#endif
