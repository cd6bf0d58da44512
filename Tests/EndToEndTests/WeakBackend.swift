// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import NIOConcurrencyHelpers
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A backend as people write them, with the weaknesses that a test gives it; time passes when the test says so.
final class WeakBackend: HTTPTransport {
    enum Weakness: Sendable, CaseIterable {
        case noExpiry, neverRotates, takesUsedTokens, endsNothing, takesExpired, refusesWith403, takesAnything
        case silent, redirects, wrongClock, keepsSignedOut, voidsAccess, failsOnGarbage, mayBeCached, noSignOut
        case takesAnyPassword, deaf, slow
    }

    private struct State {
        var now = Duration.zero
        var count = 0
        /// By token; what a token is good for.
        var access: [String: (session: Int, end: Duration)] = [:]
        var refresh: [String: (session: Int, isUsed: Bool)] = [:]
        var ended: Set<Int> = []
    }

    private let weaknesses: Set<Weakness>
    private let state = NIOLockedValueBox(State())
    /// Of an access token.
    private static let lifetime = Duration.seconds(5)
    private static let epoch = Date(timeIntervalSince1970: 1_800_000_000)

    init(_ weaknesses: Set<Weakness>) { self.weaknesses = weaknesses }

    static func contract(_ changes: [(String, String)] = []) throws -> Contract {
        let text = """
            {
              "contract": 1, "name": "weak",
              "endpoints": {
                "login.password": { "path": "/login", "json": { "user": "$username", "password": "$password" } },
                "refresh": { "path": "/refresh", "json": { "token": "$refresh_token" } },
                "logout": { "path": "/logout", "json": { "token": "$refresh_token" } },
                "me": { "method": "GET", "path": "/me", "attach": true }
              },
              "reply": {
                "access": "/access_token", "refresh": "/refresh_token",
                "expiry": [{ "in": "/expires_in", "unit": "s" }, { "assume": 5 }]
              },
              "rotation": "always", "reuseGrace": 0,
              "classify": [
                { "on": ["refresh", "logout"], "status": 401, "if": { "at": "/error", "equals": "dead" },
                  "outcome": "sessionEnded" }
              ],
              "errors": { "code": "/error" }
            }
            """
        return try Contract(json: Data(changes.reduce(text) { $0.replacing($1.0, with: $1.1) }.utf8))
    }

    /// A clock on which waiting takes no time.
    var clock: SessionClock {
        SessionClock(
            now: { [state] in state.withLockedValue { $0.now } },
            wall: { Self.epoch },
            sleep: { [state] until in state.withLockedValue { $0.now = max($0.now, until) } },
            chance: { 0.5 }
        )
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await exchange(request, deadline: .seconds(1))
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        let url = try #require(request.url)
        if has(.deaf), url.path == "/me" { throw URLError(.timedOut) }
        let body = request.httpBody.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) } ?? [:]
        var (status, answer) = state.withLockedValue { react(url.path, request, body, &$0) }
        var fields = ["Content-Type": "application/json"]
        if !has(.mayBeCached) { fields["Cache-Control"] = "no-store" }
        let date = has(.wrongClock) ? Date().addingTimeInterval(3600) : Date()
        fields["Date"] = Self.httpDate(date)
        if has(.redirects), url.path == "/refresh" { (status, fields["Location"]) = (301, "/refresh/") }
        if has(.silent), status >= 400 { answer = [:] }
        let data = has(.silent) && status >= 400 ? Data() : try JSONSerialization.data(withJSONObject: answer)
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        return (data, try #require(response))
    }

    private func has(_ weakness: Weakness) -> Bool { weaknesses.contains(weakness) }

    private func react(
        _ path: String,
        _ request: URLRequest,
        _ body: [String: String],
        _ state: inout State
    ) -> (Int, [String: Any]) {
        switch path {
        case "/login":
            guard body["password"] == "good" || has(.takesAnyPassword) else { return (400, ["error": "wrong"]) }
            state.count += 1
            return (200, issue(state.count, &state))
        case "/refresh":
            if has(.slow) { state.now += Self.lifetime }
            let token = body["token"] ?? ""
            guard let known = state.refresh[token] else {
                if has(.failsOnGarbage) { return (500, [:]) }
                return (401, ["error": "dead", "detail": "no such token:\u{1B}[31m \(token)"])
            }
            guard !state.ended.contains(known.session) else { return (401, ["error": "dead"]) }
            if known.isUsed, !has(.takesUsedTokens) {
                if !has(.endsNothing) { state.ended.insert(known.session) }
                return (401, ["error": "dead"])
            }
            if has(.voidsAccess) { state.access = state.access.filter { $0.value.session != known.session } }
            if !has(.neverRotates) { state.refresh[token]?.isUsed = true }
            return (200, issue(known.session, &state, token))
        case "/logout":
            if has(.noSignOut) { return (404, ["error": "not_found"]) }
            let known = state.refresh[body["token"] ?? ""]
            if let known, !has(.keepsSignedOut) { state.ended.insert(known.session) }
            return (200, [:])
        default:
            if has(.takesAnything) { return (200, [:]) }
            let token = request.value(forHTTPHeaderField: "Authorization")?.replacing("Bearer ", with: "") ?? ""
            guard let known = state.access[token], !state.ended.contains(known.session) else {
                return (401, ["error": "who"])
            }
            guard known.end > state.now || has(.takesExpired) else {
                return (has(.refusesWith403) ? 403 : 401, ["error": "expired"])
            }
            return (200, [:])
        }
    }

    private func issue(_ session: Int, _ state: inout State, _ old: String? = nil) -> [String: Any] {
        state.count += 1
        let access = "access-\(state.count)-secret"
        let refresh = has(.neverRotates) ? old ?? "refresh-\(state.count)-secret" : "refresh-\(state.count)-secret"
        state.access[access] = (session, state.now + Self.lifetime)
        if state.refresh[refresh] == nil { state.refresh[refresh] = (session, false) }
        var answer: [String: Any] = ["access_token": access, "refresh_token": refresh]
        if !has(.noExpiry) { answer["expires_in"] = 5 }
        return answer
    }

    private static func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
