// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire
    import SeededRandom

    /// An application server with idempotency keys, which asks the token server about the access token of each request.
    ///
    /// Its database is durable: the ledger has what it applied.
    final class OrderService: @unchecked Sendable {
        /// Whether some requests are answered late, or with errors; the end of a history has none.
        var hasFaults = true
        /// The time until which all requests are answered with 503.
        var outageEnd = Duration.zero
        /// The time until which all access tokens are refused.
        var refusalEnd = Duration.zero
        private let backend: Backend
        let ledger: OrderLedger
        private var random: SeededRandomStream
        private var isRunning = true
        /// The number of times that the process was killed.
        private var kills = 0

        init(seed: UInt64, _ backend: Backend, _ ledger: OrderLedger) {
            random = SeededRandomStream(seed: seed, device: 1, matter: 20)
            self.backend = backend
            self.ledger = ledger
        }

        /// Kills the process: requests in progress get no response.
        func kill() {
            isRunning = false
            kills += 1
        }

        func start() { isRunning = true }

        /// Answers a request.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - bodyDelay: The time after the head at which the body arrives.
        ///   - bodyArrived: Called when the server has received the whole request.
        /// - Returns: The response.
        /// - Throws: `ProcessEnded` if the process is killed before it has answered.
        func respond(
            to request: URLRequest,
            bodyDelay: Duration,
            bodyArrived: () -> Void
        ) async throws -> (Data, HTTPURLResponse) {
            let start = kills
            try checkRunning(since: start)
            await pause(bodyDelay)
            try checkRunning(since: start)
            bodyArrived()
            guard let order = Order(request), let url = request.url,
                let key = request.value(forHTTPHeaderField: Order.keyField)
            else { return reply(to: request, 400) }
            if SimulationExecutor.shared.now < outageEnd || occurs(in: 20) { return unavailable(request) }
            if SimulationExecutor.shared.now < refusalEnd {
                let body = Data(#"{"error":"invalid_token"}"#.utf8)
                return reply(to: request, 401, ["Content-Type": "application/json"], body)
            }
            let user: Me
            do {
                let (data, head) = try await identify(request, url)
                if head.statusCode == 401 { return reply(to: request, 401, head.allHeaderFields, data) }
                guard head.statusCode == 200 else { return unavailable(request) }
                user = try JSONDecoder().decode(Me.self, from: data)
            } catch is ProcessEnded {
                return unavailable(request)
            }
            // Another attempt with the same key may be applied in the meantime.
            if occurs(in: 20) { await pause(.milliseconds(random.number(in: 0...60_000))) }
            try checkRunning(since: start)
            let result = ledger.apply(order, withKey: key, as: user.user.id.description)
            let isFailing = occurs(in: 20)
            if occurs(in: 20) { await pause(.milliseconds(random.number(in: 0...60_000))) }
            try checkRunning(since: start)
            if isFailing { return reply(to: request, 500) }
            switch result {
            case .applied: return reply(to: request, 201)
            case .duplicate: return reply(to: request, 200)
            case .invalid:
                return reply(to: request, 422, ["Content-Type": "application/json"], Data(#"{"error":"invalid"}"#.utf8))
            }
        }

        /// Asks the token server about the user of an access token.
        private func identify(_ request: URLRequest, _ url: URL) async throws -> (Data, HTTPURLResponse) {
            guard let me = URL(string: NativePath.me, relativeTo: url) else { throw URLError(.badURL) }
            var question = URLRequest(url: me.absoluteURL)
            let field = "Authorization"
            question.setValue(request.value(forHTTPHeaderField: field), forHTTPHeaderField: field)
            return try await backend.respond(to: question, bodyDelay: .zero) {}
        }

        private func checkRunning(since start: Int) throws {
            guard isRunning, kills == start else { throw ProcessEnded() }
        }

        private func occurs(in requests: Int) -> Bool { random.number(in: 1...requests) == 1 && hasFaults }

        private func pause(_ duration: Duration) async {
            guard duration > .zero else { return }
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: duration) { continuation.resume() }
            }
        }

        private func unavailable(_ request: URLRequest) -> (Data, HTTPURLResponse) {
            reply(to: request, 503, random.number(in: 0...1) == 0 ? ["Retry-After": "5"] : [:])
        }

        private func reply(
            to request: URLRequest,
            _ status: Int,
            _ fields: [AnyHashable: Any] = [:],
            _ body: Data = Data()
        ) -> (Data, HTTPURLResponse) {
            let url = request.url ?? URL(filePath: "/")
            let head = HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: fields as? [String: String]
            )
            guard let head else { fatalError("no response has the status \(status)") }
            return (body, head)
        }
    }
#endif
