// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

extension AppBackend {
    /// What comes back.
    package enum Reply: Sendable {
        case answer(BackendResponse)
        /// An answer that is to leave when it is released.
        case held(PendingReply)
        /// The connection closes without an answer; the backend may have acted.
        case hangUp
    }

    /// What the backend does with a request.
    package func respond(to request: BackendRequest) -> Reply {
        act { state in
            let endpoint = endpoint(of: request, state.settings)
            let fault = state.script.next(for: request.path, of: endpoint)
            if fault == .requestLost { return .hangUp }
            // Before the backend acts: a token that it makes now did not come with the request.
            let tokens = state.tokens(in: request)
            var answer: BackendResponse?
            if fault?.acts ?? true { answer = self.answer(to: request, at: endpoint, &state) }
            let isGranted = answer.map { 200..<300 ~= $0.status } ?? false
            if let fault {
                answer = fault.answer(
                    to: request,
                    insteadOf: answer ?? BackendResponse(200),
                    otherOrigin: state.settings.otherOrigin,
                    failure: { routes.failure(BackendRefusal(status: $0), $1) }
                )
            }
            let exchange = BackendExchange(
                request: request,
                endpoint: endpoint,
                tokens: tokens,
                status: answer?.status
            )
            state.record(exchange, isGranted: isGranted)
            guard var answer else { return .hangUp }
            if fault?.comesFromBackend ?? true {
                answer.headers["Date"] = HTTPDate.text(secondsSince1970: Int(state.clock.rounded(.down)))
            }
            guard fault == .held else { return .answer(answer) }
            let held = PendingReply(answer, to: request)
            state.held.append(held)
            holding.yield(exchange)
            return .held(held)
        }
    }

    private func endpoint(of request: BackendRequest, _ settings: BackendSettings) -> BackendEndpoint {
        if let host = request.host?.lowercased(), host == settings.otherHost { return .elsewhere }
        return routes.endpoint(of: request.path)
    }

    private func answer(
        to request: BackendRequest,
        at endpoint: BackendEndpoint,
        _ state: inout BackendState
    ) -> BackendResponse {
        guard endpoint != .elsewhere else { return .json(200, ["elsewhere": true]) }
        return routes.answer(request, &state)
    }
}
