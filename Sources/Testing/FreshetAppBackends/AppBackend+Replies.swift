// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetTesting

extension AppBackend {
    /// Processes a request, and applies the fault that the script has for it.
    package func respond(to request: BackendRequest) -> BackendReply {
        act { state in
            let endpoint = endpoint(of: request, state.settings)
            let fault = state.script.next(for: request.path, of: endpoint)
            if fault == .requestLost { return .hangUp }
            // Determined before the request is processed, so that a token created by the processing is not taken for
            // one that the client sent.
            let tokens = state.tokens(in: request)
            var answer: BackendResponse?
            if fault?.acts ?? true { answer = self.answer(to: request, at: endpoint, &state) }
            let faulted = FaultedResponse(
                fault,
                to: request,
                insteadOf: answer,
                time: state.clock,
                otherOrigin: state.settings.otherOrigin,
                failure: { routes.failure(BackendRefusal(status: $0), $1) }
            )
            let exchange = BackendExchange(
                request: request,
                endpoint: endpoint,
                tokens: tokens,
                status: faulted.response?.status
            )
            state.record(exchange, isGranted: faulted.isGranted)
            guard let response = faulted.response else { return .hangUp }
            guard fault == .held else { return .answer(response) }
            let held = PendingReply(response, to: request)
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
