// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import FreshetEngine
import FreshetIdentity
import FreshetKit
import NIOConcurrencyHelpers
import NIOCore

/// Connects the fault switches with a development server: prints its lines, and passes events and decisions.
final class DevelopmentConsole: Sendable {
    private let switches = NIOLockedValueBox(FaultSwitches())
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Receives each line, without the time.
    init(write: @escaping @Sendable (String) -> Void = { Output.line($0) }) {
        self.write = write
    }

    /// Prints a sentence with the time of day.
    func line(_ text: String) {
        let now = Date()
        for line in text.split(separator: "\n") {
            // Clients choose parts of the text.
            write("\(ClockTime.text(now, now: now, in: .current))  \(String(line).onOneLine)")
        }
    }

    /// Receives an event of the server, on the task of its request.
    func record(_ event: ServerEvent) {
        switches.withLockedValue { switches in
            switch event {
            case .login(let session):
                switches.sessionUsed(session.id, of: session.user, openedAt: session.createdAt)
            case .presented(let presentation) where presentation.call == "refresh":
                switches.refreshCommitted(request: RequestTrace.current?.id)
                guard DevelopmentLine.isServed(presentation.outcome) else { break }
                let session = presentation.session
                switches.sessionUsed(session.id, of: session.user, openedAt: session.createdAt)
            case .ended(let ids, _, _, _, _): switches.sessionsEnded(ids)
            case .revoked(let revocations): switches.sessionsEnded(revocations.map(\.session))
            case .presented, .loginRefused, .operatorActed: break
            }
        }
        if let text = DevelopmentLine.text(event) { line(text) }
    }

    /// Whether an access token is accepted.
    func accepts(_ claims: AccessClaims, at now: Timestamp) -> Bool {
        switches.withLockedValue { $0.accepts(issuedAt: claims.issuedAt, at: now) }
    }

    /// Whether bytes from the server are dropped, and their connection closed.
    func drops(_ bytes: ByteBuffer) -> Bool {
        let isDropped = switches.withLockedValue { switches in
            switches.drops(bytes.getString(at: bytes.readerIndex, length: min(bytes.readableBytes, 4096)) ?? "")
        }
        if isDropped { line("The answer to a refresh was dropped; the refresh is committed.") }
        return isDropped
    }

    /// Prints the consequence of a key.
    ///
    /// - Returns: The action on the server; `nil` for none.
    func press(_ key: Character, at now: Timestamp = .system()) -> FaultSwitches.Action? {
        let result = switches.withLockedValue { $0.press(key, at: now) }
        for text in result.lines { line(text) }
        return result.action
    }
}
