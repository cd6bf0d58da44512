// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

extension TestBackend {
    /// Processes a request, and applies the fault that the script has for it.
    func respond(to request: BackendRequest) -> BackendReply {
        let target = Target(request)
        let endpoint = target.endpoint(of: request.path)
        let (fault, tokens, answer) = state.withLock { state -> (BackendFault?, [String], Answer?) in
            state.readClock()
            state.counts.add(target)
            let fault = state.script.next(for: request.path, of: endpoint)
            // Determined before the request is processed, so that a token created by the processing is not taken for
            // one that the client sent.
            let tokens = state.tokens(in: request)
            return (fault, tokens, fault?.acts ?? true ? Self.answer(request, target, &state) : nil)
        }
        if fault == .requestLost { return .hangUp }
        // Outside the lock, because the test's route may use the backend.
        let response = answer.map { answer in
            switch answer {
            case .response(let response): response
            case .route(let route, let userID): route(request, userID)
            }
        }
        let (reply, exchange) = state.withLock { state -> (BackendReply, BackendExchange) in
            let faulted = FaultedResponse(
                fault,
                to: request,
                insteadOf: response,
                time: state.time,
                otherOrigin: Self.otherOrigin,
                failure: Self.failure
            )
            let status = faulted.response?.status
            let exchange = BackendExchange(request: request, endpoint: endpoint, tokens: tokens, status: status)
            state.record(exchange)
            state.counts.add(target, status: status, isGranted: faulted.isGranted, carriesToken: !tokens.isEmpty)
            guard let response = faulted.response else { return (.hangUp, exchange) }
            guard fault == .held else { return (.answer(response), exchange) }
            let held = PendingReply(response, to: request)
            state.held.append(held)
            return (.held(held), exchange)
        }
        if case .held = reply { holding.yield(exchange) }
        return reply
    }

    /// The backend's response to a request, or the test's route that returns it.
    private enum Answer {
        case response(BackendResponse)
        case route(Route, userID: String)
    }

    private static func answer(_ request: BackendRequest, _ target: Target, _ state: inout State) -> Answer {
        let fields = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any]
        let token = (fields?["refresh_token"] as? String).flatMap(TestRefreshToken.init)
        switch target {
        case .login:
            let id = UUID()
            state.rows[id] = Row(email: fields?["email"] as? String ?? "user@example.com")
            return .response(grant(id, 0, &state))
        case .code: return .response(BackendResponse(202, json: #"{"attempt":"a1","expires_in":600}"#))
        case .refresh: return .response(refresh(token, fields?["intent"] as? String, &state))
        case .confirm:
            return .response(
                note(token, &state) { row, generation in
                    if generation > row.proved { (row.proved, row.intent) = (generation, nil) }
                }
            )
        case .report:
            return .response(
                note(token, &state) { row, generation in
                    if generation < row.proved { row.ended = "stale_holder" }
                }
            )
        case .logout: return .response(note(token, &state) { row, _ in row.ended = "logout" })
        case .elsewhere: return .response(BackendResponse(json: #"{"elsewhere":true}"#))
        case .app: return requestOfTheApp(request, &state)
        }
    }

    private static func requestOfTheApp(_ request: BackendRequest, _ state: inout State) -> Answer {
        guard let id = request.bearer.flatMap({ state.accessTokens[$0] }), let row = state.rows[id], row.ended == nil,
            !state.refusesEverything
        else { return .response(failure(401, "The access token is not accepted")) }
        if request.path == "/v1/logout-all" {
            for row in state.rows.keys { state.rows[row]?.ended = "logout_all" }
            return .response(BackendResponse(204))
        }
        if let route = state.routes[request.path] { return .route(route, userID: row.userID) }
        return .response(BackendResponse(json: #"{"session":"\#(id.uuidString.lowercased())"}"#))
    }

    /// Returns the error response of the native contract for a status.
    private static func failure(_ status: Int, _ message: String) -> BackendResponse {
        let code = ErrorCode.allCases.first { $0.status == status && $0 != .superseded }
        let name = (code ?? (status < 500 ? .invalidRequest : .serverError)).rawValue
        var response = BackendResponse(status, json: #"{"error":"\#(name)","error_description":"\#(message)"}"#)
        if status == 401 { response.headers["WWW-Authenticate"] = #"Bearer error="invalid_token""# }
        return response
    }

    /// Evaluates a refresh by the decision table of the refresh protocol.
    private static func refresh(_ token: TestRefreshToken?, _ intent: String?, _ state: inout State) -> BackendResponse
    {
        guard let token, var row = state.rows[token.session], let intent else { return final("unknown") }
        if let reason = row.ended { return final(reason) }
        if token.generation < row.proved { return BackendResponse(409, json: #"{"error":"superseded"}"#) }
        if token.generation == row.proved, let bound = row.intent, bound != intent {
            state.rows[token.session]?.ended = "fork"
            return final("fork")
        }
        row.proved = token.generation
        row.intent = intent
        state.rows[token.session] = row
        return grant(token.session, token.generation + 1, &state)
    }

    private static func note(
        _ token: TestRefreshToken?,
        _ state: inout State,
        _ change: (inout Row, UInt64) -> Void
    ) -> BackendResponse {
        guard let token, var row = state.rows[token.session] else { return final("unknown") }
        if let reason = row.ended { return final(reason) }
        change(&row, token.generation)
        state.rows[token.session] = row
        // A valid report ends the session, and the response says so.
        return row.ended == "stale_holder" ? final("stale_holder") : BackendResponse(204)
    }

    private static func final(_ reason: String) -> BackendResponse {
        BackendResponse(400, json: #"{"error":"invalid_grant","reason":"\#(reason)"}"#)
    }

    private static func grant(_ id: UUID, _ generation: UInt64, _ state: inout State) -> BackendResponse {
        state.lastAccessToken += 1
        let access = "access-\(state.lastAccessToken)"
        state.accessTokens[access] = id
        state.rows[id]?.grantedAt = state.now
        let refresh = TestRefreshToken(session: id, generation: generation).text
        state.refreshTokenNames[refresh] =
            state.refreshTokenNames[refresh] ?? "refresh-\(state.refreshTokenNames.count + 1)"
        let row = state.rows[id]
        let json = """
            {"access_token":"\(access)","token_type":"Bearer","expires_in":\(state.lifetime),\
            "refresh_token":"\(refresh)","refresh_expires_in":\(state.refreshLifetime),"session_id":"\(id.uuidString.lowercased())",\
            "user":{"id":"\(row?.userID ?? "")","email":"\(row?.email ?? "")"},"server_time":\(state.time)}
            """
        return BackendResponse(json: json)
    }
}
