// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// The faults that one key each causes in `freshet serve --dev`.
///
/// A value that decides; ``DevelopmentConsole`` acts. No other server has these switches.
struct FaultSwitches {
    /// An action on the server.
    enum Action: Equatable {
        case end(SessionID, of: UUID)
        case stop
    }

    /// The consequence of a key.
    struct KeyResult: Equatable {
        var lines: [String]
        var action: Action?
    }

    /// The keys, in one line.
    static let help =
        "Keys: d drop the next answer, x expire all access tokens, e end the newest session, ? help, q stop."

    private struct OpenSession {
        var id: SessionID
        var user: UUID
        var openedAt: Timestamp
    }

    /// The number of refreshes whose answers will be dropped.
    private var pendingDrops = 0
    /// The request IDs of refreshes whose answers are dropped when the server sends them.
    private var droppedRequests: Set<String> = []
    private var cutoff = AccessTokenCutoff()
    /// The sessions that signed in or refreshed since the start, oldest sign-in first.
    private var sessions: [OpenSession] = []

    // MARK: - Keys

    /// Returns the consequence of a key.
    mutating func press(_ key: Character, at now: Timestamp) -> KeyResult {
        switch key {
        case "d":
            pendingDrops += 1
            let answers = pendingDrops == 1 ? "The answer to the next refresh" : "The next \(pendingDrops) answers"
            return KeyResult(lines: ["\(answers) will be dropped after the commit."])
        case "x":
            cutoff.expireAll(at: now)
            return KeyResult(lines: [
                "All access tokens expire now: a client refreshes at its next request, unless its token is younger "
                    + "than the client's minimum interval."
            ])
        case "e":
            guard let newest = sessions.last else {
                return KeyResult(lines: ["There is no session to end: none has signed in or refreshed since the start."]
                )
            }
            return KeyResult(lines: [], action: .end(newest.id, of: newest.user))
        case "q": return KeyResult(lines: [], action: .stop)
        case "?", "h": return KeyResult(lines: [Self.help])
        default: return KeyResult(lines: [])
        }
    }

    // MARK: - Events of the server

    /// Records that a session signed in or refreshed.
    mutating func sessionUsed(_ id: SessionID, of user: UUID, openedAt: Timestamp) {
        guard !sessions.contains(where: { $0.id == id }) else { return }
        let place = sessions.firstIndex { openedAt < $0.openedAt } ?? sessions.endIndex
        sessions.insert(OpenSession(id: id, user: user, openedAt: openedAt), at: place)
    }

    /// Records that sessions ended.
    mutating func sessionsEnded(_ ids: [SessionID]) { sessions.removeAll { ids.contains($0.id) } }

    /// Records that a refresh is committed and its answer follows.
    mutating func refreshCommitted(request: String?) {
        guard pendingDrops > 0, let request else { return }
        pendingDrops -= 1
        droppedRequests.insert(request)
    }

    // MARK: - Decisions

    /// Whether an access token is accepted.
    func accepts(issuedAt: Timestamp, at now: Timestamp) -> Bool { cutoff.accepts(issuedAt: issuedAt, at: now) }

    /// Whether bytes that the server sends are dropped, and their connection closed.
    ///
    /// - Parameter head: The beginning of the bytes as text, read only if an answer has to be dropped.
    /// - Returns: `true` for the answer to a refresh after the key was pressed, once.
    mutating func drops(_ head: @autoclosure () -> String) -> Bool {
        guard !droppedRequests.isEmpty else { return false }
        let head = head()
        // Every response has the ID of its request in a header field.
        guard let request = droppedRequests.first(where: { head.contains($0) }) else { return false }
        droppedRequests.remove(request)
        return true
    }
}
