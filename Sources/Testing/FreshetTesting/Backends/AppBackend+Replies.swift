// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

extension AppBackend {
    /// The backend's reaction to a request.
    package enum Reply: Sendable {
        case answer(BackendResponse)
        /// A response that is sent when the test releases it.
        case held(PendingReply)
        /// The connection closes without a response; the backend may have processed the request.
        case hangUp
    }

    /// Processes a request, and applies the fault that the script has for it.
    package func respond(to request: BackendRequest) -> Reply {
        act { state in
            let endpoint = endpoint(of: request, state.settings)
            let fault = state.script.next(for: request.path, of: endpoint)
            if fault == .requestLost { return .hangUp }
            // Before the request is processed: a token created by it did not come with it.
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
