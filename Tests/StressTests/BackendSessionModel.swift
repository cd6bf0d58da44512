// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

@testable import FreshetTesting
@testable import StressWorker

/// The sessions of a backend: each token that it issued, to whom, and whether it is still honoured.
struct BackendSessionModel: Sendable {
    struct Session: Sendable {
        let account: String
        /// Why it is over, if it is.
        var ended: String?
        /// The refresh token in force; the access token where there is none.
        var token = ""
        /// Whether the answer that brought ``token`` was sent.
        var isDelivered = true
        // Freshet's own protocol.
        let id = UUID()
        var proved: UInt64 = 0
        var intent: String?
        /// The refresh tokens that were issued for it (access tokens where there are none), and the places that got them.
        var holders: [String: Set<String>] = [:]
    }

    struct Access: Sendable {
        var session: Int
        var expiresAt: ContinuousClock.Instant
        var isRevoked = false
    }

    let rule: RotationMode
    private(set) var sessions: [Session] = []
    private(set) var access: [String: Access] = [:]
    private var refresh: [String: Int] = [:]
    private var natives: [UUID: Int] = [:]
    private var lastNumber = 0

    init(_ rule: RotationMode) { self.rule = rule }

    /// The session that a token of either kind was issued for.
    func session(of token: String) -> Int? {
        if let native = TestRefreshToken(token) { return natives[native.session] }
        return refresh[token] ?? access[token]?.session
    }

    /// Whether the backend would accept this token at its refresh or logout endpoint.
    func honours(_ token: String) -> Bool {
        guard let index = session(of: token), sessions[index].ended == nil else { return false }
        return rule == .confirmed || sessions[index].token == token
    }

    /// The session whose access token is accepted now.
    func session(accepting token: String?) -> Int? {
        guard let token, let entry = access[token], !entry.isRevoked, .now < entry.expiresAt,
            sessions[entry.session].ended == nil
        else { return nil }
        return entry.session
    }

    mutating func signIn(_ account: String) -> Int {
        sessions.append(Session(account: account))
        natives[sessions[sessions.count - 1].id] = sessions.count - 1
        return sessions.count - 1
    }

    mutating func end(_ index: Int, _ reason: String) {
        if sessions[index].ended == nil { sessions[index].ended = reason }
    }

    mutating func setDelivered(_ index: Int, _ isDelivered: Bool) { sessions[index].isDelivered = isDelivered }

    /// The answer with the session's newest token goes to a place.
    mutating func hand(_ index: Int, to place: String) {
        sessions[index].holders[sessions[index].token, default: []].insert(place)
    }

    /// Whether a session may be live and unknown to all clients, because the only ones that ever had its token were killed.
    ///
    /// A process that is killed takes along the answers that it has not stored, and those on the way to it: a sign-in's
    /// session is then known to nobody, and neither is the token that a refresh brought in place of the stored one. That
    /// holds for a token that nobody but killed processes was sent, and that none of them had stored, as a session's or for
    /// a logout that is owed. As soon as a living process was sent it, or a killed one had stored it, somebody else can find
    /// it, and the client owes a logout like any other. Whether a token was stored is what the killed process itself
    /// recorded and what the store held after its death.
    ///
    /// Where several tokens of a session are honoured (a used one of our own protocol finds its session, too), it is lost
    /// only if all of them are.
    func isLost(_ index: Int, withKilled killed: Set<String>, whichStored recorded: Set<String>) -> Bool {
        let honoured = sessions[index].holders.filter { honours($0.key) }
        return !honoured.isEmpty
            && honoured.allSatisfy { token, places in places.isSubset(of: killed) && !recorded.contains(token) }
    }

    mutating func revokeAccessTokens() {
        for token in access.keys { access[token]?.isRevoked = true }
    }

    /// Issues tokens for a session, in the words of the contract.
    mutating func grant(_ index: Int, lifetime: Int, generation: UInt64 = 0) -> String {
        lastNumber += 1
        let token = "a\(lastNumber).s\(index)"
        access[token] = Access(session: index, expiresAt: .now + .seconds(lifetime))
        var fields = #""access_token":"\#(token)","token_type":"Bearer","expires_in":\#(lifetime)"#
        switch rule {
        case .confirmed:
            let next = TestRefreshToken(session: sessions[index].id, generation: generation).text
            sessions[index].token = next
            fields += #","refresh_token":"\#(next)","session_id":"\#(sessions[index].id.uuidString.lowercased())""#
        case .rotating, .fixed:
            if rule == .rotating || sessions[index].token.isEmpty { sessions[index].token = "r\(lastNumber).s\(index)" }
            refresh[sessions[index].token] = index
            fields += #","refresh_token":"\#(sessions[index].token)""#
        case .accessOnly:
            sessions[index].token = token
        }
        let account = sessions[index].account
        return #"{\#(fields),"user":{"id":"id-\#(account)","email":"\#(account)"}}"#
    }

    /// The backend's response to a refresh.
    enum Refreshed {
        case granted(Int, String)
        case superseded
        case ended(String)
    }

    mutating func refresh(with token: String, intent: String?, lifetime: Int) -> Refreshed {
        guard let index = session(of: token) else { return .ended("unknown") }
        if let reason = sessions[index].ended { return .ended(reason) }
        guard rule == .confirmed, let native = TestRefreshToken(token) else {
            guard sessions[index].token == token else { return .ended("used") }
            return .granted(index, grant(index, lifetime: lifetime))
        }
        if native.generation < sessions[index].proved { return .superseded }
        if native.generation == sessions[index].proved, let bound = sessions[index].intent, bound != intent {
            end(index, "fork")
            return .ended("fork")
        }
        sessions[index].proved = native.generation
        sessions[index].intent = intent
        return .granted(index, grant(index, lifetime: lifetime, generation: native.generation + 1))
    }

    /// The client proved that it has stored this generation.
    mutating func confirm(_ index: Int, _ generation: UInt64) {
        guard generation > sessions[index].proved else { return }
        (sessions[index].proved, sessions[index].intent) = (generation, nil)
    }
}
