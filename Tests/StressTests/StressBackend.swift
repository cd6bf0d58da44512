// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

@testable import FreshetTesting
@testable import StressWorker

/// A backend that knows every token it issued, and judges every request by that.
///
/// Its faults are random: requests and answers that are lost, answers of a proxy, delays.
final class StressBackend: Sendable {
    private struct State {
        var ledger: BackendSessionModel
        /// The session of the first request with a label.
        var labels: [String: Int] = [:]
        /// Sessions that a repeated sign-in with the same intent reaches again.
        var attempts: [String: Int] = [:]
        /// One-time codes that were sent and not used.
        var codes: Set<String> = []
        var deliveredItems: Set<String> = []
        var sockets: [Int: [StressSocket]] = [:]
        var lastAttempt = 0
    }

    let rule: RotationMode
    let journal: EventJournal
    private let random: RandomStream
    private let state: Locked<State>
    /// How many requests in a thousand go wrong.
    let faults = Locked(30)
    /// Tells whether a session is in use at a place, when a logout of that session arrives from there.
    let isInUse = Locked<@Sendable (_ session: Int, _ place: String) -> String?>({ _, _ in nil })

    init(_ rule: RotationMode, _ random: RandomStream, _ journal: EventJournal) {
        self.rule = rule
        self.random = random
        self.journal = journal
        state = Locked(State(ledger: BackendSessionModel(rule)))
    }

    var ledger: BackendSessionModel { state.withLock { $0.ledger } }
    var deliveredItems: Set<String> { state.withLock { $0.deliveredItems } }

    // MARK: What the test does to it

    func revokeAccessTokens() { state.withLock { $0.ledger.revokeAccessTokens() } }

    /// Ends one of the sessions, as an operator does.
    func endSomeSession() {
        let sockets = state.withLock { state -> [StressSocket] in
            let live = state.ledger.sessions.indices.filter { state.ledger.sessions[$0].ended == nil }
            guard !live.isEmpty else { return [] }
            return Self.end(random.element(of: live), "operator", &state, journal)
        }
        for socket in sockets { socket.end(4401) }
    }

    /// A sign-in by the app itself: its tokens, as JSON.
    func ownSignIn(_ account: String) -> String {
        state.withLock { state in
            let session = state.ledger.signIn(account)
            defer { state.ledger.hand(session, to: "app") }
            return state.ledger.grant(session, lifetime: lifetime)
        }
    }

    /// Tokens that the app threw away itself.
    func forget(_ token: String) {
        state.withLock { state in
            if let session = state.ledger.session(of: token) { state.ledger.setDelivered(session, false) }
        }
    }

    func open(_ request: StressRequest, _ socket: StressSocket) -> Bool {
        state.withLock { state in
            guard let session = state.ledger.session(accepting: request.bearer) else { return false }
            judge(request, session, &state)
            state.sockets[session, default: []].append(socket)
            return true
        }
    }

    private static func end(_ session: Int, _ reason: String, _ state: inout State, _ journal: EventJournal)
        -> [StressSocket]
    {
        if state.ledger.sessions[session].ended == nil { journal.note("backend ends s\(session): \(reason)") }
        state.ledger.end(session, reason)
        return state.sockets.removeValue(forKey: session) ?? []
    }

    // MARK: Requests

    func answer(_ request: StressRequest) async -> StressReply? {
        let fault = random.int(1...1000)
        let rate = faults.withLock { $0 }
        if fault <= rate / 3 { return nil }
        if fault <= rate / 2 { return StressReply(status: 503, body: #"{"error":"proxy"}"#) }
        if random.happens(perMille: 200) { try? await Task.sleep(for: random.pause(upTo: 20)) }
        let isAnswerLost = fault <= rate
        if request.path == "/v1/logout" { judgeLogout(request) }
        let (reply, sockets) = state.withLock { respond(to: request, isAnswerLost, &$0) }
        for socket in sockets { socket.end(4401) }
        if random.happens(perMille: 200) { try? await Task.sleep(for: random.pause(upTo: 20)) }
        return isAnswerLost ? nil : reply
    }

    private func respond(
        to request: StressRequest,
        _ isAnswerLost: Bool,
        _ state: inout State
    ) -> (StressReply, [StressSocket]) {
        switch request.path {
        case "/v1/login/password":
            return (signIn(request, state.ledger.signIn(request.text("email") ?? ""), isAnswerLost, &state), [])
        case "/v1/login/code":
            state.lastAttempt += 1
            state.codes.insert(request.text("email") ?? "")
            return (StressReply(status: 202, body: #"{"attempt":"t\#(state.lastAttempt)","expires_in":600}"#), [])
        case "/v1/login/code/verify":
            return (verify(request, isAnswerLost, &state), [])
        case "/v1/refresh":
            return (refresh(request, isAnswerLost, &state), [])
        case "/v1/confirm", "/v1/report":
            return (notify(request, &state), [])
        case "/v1/logout":
            return logOut(request, &state)
        default:
            return call(request, &state)
        }
    }

    private func signIn(
        _ request: StressRequest,
        _ session: Int,
        _ isAnswerLost: Bool,
        _ state: inout State
    ) -> StressReply {
        let body = state.ledger.grant(session, lifetime: lifetime, generation: state.ledger.sessions[session].proved)
        let place = request.headers[StressRequest.place] ?? "?"
        hand(session, to: place, &state)
        state.ledger.setDelivered(session, !isAnswerLost)
        journal.note(
            "sign-in s\(session) \(state.ledger.sessions[session].account) from \(place)\(isAnswerLost ? " LOST" : "")"
        )
        return StressReply(status: 200, body: body)
    }

    private func hand(_ session: Int, to place: String, _ state: inout State) {
        state.ledger.hand(session, to: place)
        if place.contains("worker") { journal.count("grants to workers") }
    }

    private func verify(_ request: StressRequest, _ isAnswerLost: Bool, _ state: inout State) -> StressReply {
        if let attempt = request.text("attempt"), let intent = request.text("intent") {
            let session = state.attempts[attempt + intent] ?? state.ledger.signIn("c-\(attempt)")
            state.attempts[attempt + intent] = session
            if let reason = state.ledger.sessions[session].ended { return ended(reason) }
            // A lost answer is repeated; what was delivered once stays so.
            let wasDelivered =
                state.ledger.sessions[session].isDelivered && !state.ledger.sessions[session].token.isEmpty
            let reply = signIn(request, session, isAnswerLost, &state)
            if wasDelivered { state.ledger.setDelivered(session, true) }
            return reply
        }
        let email = request.text("email") ?? ""
        guard state.codes.remove(email) != nil else {
            return StressReply(status: 400, body: #"{"error":"invalid_code"}"#)
        }
        return signIn(request, state.ledger.signIn(email), isAnswerLost, &state)
    }

    private func refresh(_ request: StressRequest, _ isAnswerLost: Bool, _ state: inout State) -> StressReply {
        let token = request.text("refresh_token") ?? ""
        switch state.ledger.refresh(with: token, intent: request.text("intent"), lifetime: lifetime) {
        case .granted(let session, let body):
            let place = request.headers[StressRequest.place] ?? "?"
            hand(session, to: place, &state)
            if rule == .rotating { state.ledger.setDelivered(session, !isAnswerLost) }
            journal.note(
                "refresh s\(session) \(rule == .confirmed ? "" : token) from \(place)\(isAnswerLost ? " LOST" : "")"
            )
            return StressReply(status: 200, body: body)
        case .superseded: return StressReply(status: 409, body: #"{"error":"superseded"}"#)
        case .ended(let reason):
            journal.note("refresh refused: \(reason) \(rule == .confirmed ? "" : token)")
            if reason == "fork" { journal.violate("a session was ended as a fork") }
            return ended(reason)
        }
    }

    private func notify(_ request: StressRequest, _ state: inout State) -> StressReply {
        let text = request.text("refresh_token") ?? ""
        guard let token = TestRefreshToken(text), let session = state.ledger.session(of: text) else {
            return ended("unknown")
        }
        if let reason = state.ledger.sessions[session].ended { return ended(reason) }
        if request.path == "/v1/confirm" {
            state.ledger.confirm(session, token.generation)
        } else if token.generation < state.ledger.sessions[session].proved {
            state.ledger.end(session, "stale_holder")
            journal.violate("s\(session) was reported as stolen by its own client")
            return ended("stale_holder")
        }
        return StressReply(status: 204)
    }

    private func logOut(_ request: StressRequest, _ state: inout State) -> (StressReply, [StressSocket]) {
        let token = request.text("refresh_token") ?? request.text("access_token") ?? ""
        journal.note(
            "logout \(state.ledger.session(of: token).map { "s\($0)" } ?? "?") \(rule == .confirmed ? "" : token)"
        )
        guard let session = state.ledger.session(of: token) else { return (ended("unknown"), []) }
        if let reason = state.ledger.sessions[session].ended { return (ended(reason), []) }
        guard state.ledger.honours(token) else { return (ended("used"), []) }
        return (StressReply(status: 204), Self.end(session, "logout", &state, journal))
    }

    private func call(_ request: StressRequest, _ state: inout State) -> (StressReply, [StressSocket]) {
        // Also one that is refused: it was sent with that session's token.
        if let known = request.bearer.flatMap({ state.ledger.session(of: $0) }) { judge(request, known, &state) }
        guard let session = state.ledger.session(accepting: request.bearer) else {
            let challenge = ["WWW-Authenticate": #"Bearer error="invalid_token""#]
            return (StressReply(status: 401, headers: challenge, body: #"{"error":"invalid_token"}"#), [])
        }
        switch request.path {
        case "/v1/logout-all":
            let account = state.ledger.sessions[session].account
            var sockets: [StressSocket] = []
            for index in state.ledger.sessions.indices where state.ledger.sessions[index].account == account {
                sockets += Self.end(index, "logout_all", &state, journal)
            }
            return (StressReply(status: 204), sockets)
        case "/v1/sessions":
            return (StressReply(status: 200, body: #"{"sessions":[]}"#), [])
        default:
            if let item = request.headers[StressRequest.item] { state.deliveredItems.insert(item) }
            return (StressReply(status: 200, body: #"{"account":"\#(state.ledger.sessions[session].account)"}"#), [])
        }
    }

    private func ended(_ reason: String) -> StressReply {
        rule == .confirmed
            ? StressReply(status: 400, body: #"{"error":"invalid_grant","reason":"\#(reason)"}"#)
            : StressReply(status: 401, body: #"{"error":"\#(reason)"}"#)
    }

    /// Access tokens expire during the run, except where nothing could follow them.
    private var lifetime: Int { rule == .accessOnly ? 3600 : random.int(1...4) }

    // MARK: Judging

    /// No operation sends the token of another session than that of its first request, no item that of another user.
    private func judge(_ request: StressRequest, _ session: Int, _ state: inout State) {
        journal.count("requests")
        if let label = request.headers[StressRequest.label] {
            let first = state.labels[label] ?? session
            state.labels[label] = first
            if first != session {
                journal.violate("\(label) began in s\(first) and \(request.path) was sent with a token of s\(session)")
            }
        }
        guard let owner = request.headers[StressRequest.owner] else { return }
        let account = state.ledger.sessions[session].account
        if account != owner { journal.violate("an item of \(owner) was sent as \(account)") }
    }

    /// No token in use is told to the logout endpoint.
    private func judgeLogout(_ request: StressRequest) {
        let token = request.text("refresh_token") ?? request.text("access_token") ?? ""
        guard let place = request.headers[StressRequest.place], ledger.honours(token),
            let session = ledger.session(of: token)
        else { return }
        journal.count("logouts")
        if let user = isInUse.withLock({ $0 })(session, place) {
            journal.violate("the logout endpoint was told a token of s\(session), which is in use: \(user)")
        }
    }
}
