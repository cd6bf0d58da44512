// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension TestBackend {
    /// Returns the backend's response to a request.
    func respond(to request: URLRequest) throws -> (Data, HTTPURLResponse) {
        var request = request
        if request.httpBodyStream != nil {
            let body = try request.wholeBody()
            // Setting `httpBody` removes the stream.
            request.httpBody = body
        }
        let now = now
        let (status, headers, body) = try state.withLock { state in
            state.expireSessions(at: now)
            return try Self.answer(request, &state)
        }
        let json = body.isEmpty ? headers : headers.merging(["Content-Type": "application/json"]) { first, _ in first }
        return try PendingRequest.answer(to: request, status, json, Data(body.utf8))
    }

    private typealias Reply = (Int, [String: String], String)

    private static func answer(_ request: URLRequest, _ state: inout State) throws -> Reply {
        let fields = request.httpBody.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
        let token = (fields?["refresh_token"] as? String).flatMap(TestRefreshToken.init)
        switch request.url?.path {
        case "/v1/signup", "/v1/login/password", "/v1/login/code/verify":
            let id = UUID()
            state.rows[id] = Row(email: fields?["email"] as? String ?? "user@example.com")
            return (200, [:], grant(id, 0, &state))
        case "/v1/login/code": return (202, [:], #"{"attempt":"a1","expires_in":600}"#)
        case "/v1/refresh":
            state.counts.refreshes += 1
            return try refresh(token, fields?["intent"] as? String, &state)
        case "/v1/confirm":
            state.counts.confirms += 1
            return note(token, &state) { row, generation in
                if generation > row.proved { (row.proved, row.intent) = (generation, nil) }
            }
        case "/v1/report":
            state.counts.reports += 1
            return note(token, &state) { row, generation in
                if generation < row.proved { row.ended = "stale_holder" }
            }
        case "/v1/logout":
            state.counts.logouts += 1
            return note(token, &state) { row, _ in row.ended = "logout" }
        default: return requestOfTheApp(request, &state)
        }
    }

    private static func requestOfTheApp(_ request: URLRequest, _ state: inout State) -> Reply {
        state.counts.requests += 1
        let header = request.value(forHTTPHeaderField: "Authorization") ?? ""
        let id = state.accessTokens[String(header.dropFirst("Bearer ".count))]
        let isLive = id.flatMap { state.rows[$0] }?.ended == nil
        guard let id, isLive, !state.refusesEverything else {
            state.counts.refusals += 1
            return (401, ["WWW-Authenticate": #"Bearer error="invalid_token""#], #"{"error":"invalid_token"}"#)
        }
        if request.url?.path == "/v1/logout-all" {
            for row in state.rows.keys { state.rows[row]?.ended = "logout_all" }
            return (204, [:], "")
        }
        return (200, [:], #"{"session":"\#(id.uuidString.lowercased())"}"#)
    }

    private static func refresh(
        _ token: TestRefreshToken?,
        _ intent: String?,
        _ state: inout State
    ) throws -> Reply {
        let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
        switch fault {
        case .requestLost: throw URLError(.networkConnectionLost)
        case .answer(let status, let headers, let body): return (status, headers, body)
        case .answerLost:
            _ = decide(token, intent, &state)
            throw URLError(.badServerResponse)
        case nil: return decide(token, intent, &state)
        }
    }

    /// Evaluates a refresh by the decision table of the refresh protocol.
    private static func decide(_ token: TestRefreshToken?, _ intent: String?, _ state: inout State) -> Reply {
        guard let token, var row = state.rows[token.session], let intent else { return final("unknown") }
        if let reason = row.ended { return final(reason) }
        if token.generation < row.proved { return (409, [:], #"{"error":"superseded"}"#) }
        if token.generation == row.proved, let bound = row.intent, bound != intent {
            state.rows[token.session]?.ended = "fork"
            return final("fork")
        }
        row.proved = token.generation
        row.intent = intent
        state.rows[token.session] = row
        return (200, ["Cache-Control": "no-store"], grant(token.session, token.generation + 1, &state))
    }

    private static func note(
        _ token: TestRefreshToken?,
        _ state: inout State,
        _ change: (inout Row, UInt64) -> Void
    ) -> Reply {
        guard let token, var row = state.rows[token.session] else { return final("unknown") }
        if let reason = row.ended { return final(reason) }
        change(&row, token.generation)
        state.rows[token.session] = row
        // A valid report ends the session, and the response says so.
        return row.ended == "stale_holder" ? final("stale_holder") : (204, [:], "")
    }

    private static func final(_ reason: String) -> Reply {
        (400, [:], #"{"error":"invalid_grant","reason":"\#(reason)"}"#)
    }

    private static func grant(_ id: UUID, _ generation: UInt64, _ state: inout State) -> String {
        state.lastAccessToken += 1
        let access = "access-\(state.lastAccessToken)"
        state.accessTokens[access] = id
        state.rows[id]?.grantedAt = state.now
        let refresh = TestRefreshToken(session: id, generation: generation).text
        let email = state.rows[id]?.email ?? ""
        return """
            {"access_token":"\(access)","token_type":"Bearer","expires_in":\(state.lifetime),\
            "refresh_token":"\(refresh)","refresh_expires_in":\(state.refreshLifetime),"session_id":"\(id.uuidString.lowercased())",\
            "user":{"id":"u-\(email)","email":"\(email)"},"server_time":1800000000.5}
            """
    }
}
