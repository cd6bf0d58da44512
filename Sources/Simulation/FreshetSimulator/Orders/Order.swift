// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// An order that an app enqueues: the content of one item of an outbox.
    struct Order: Codable, Sendable {
        /// The path at which the application server accepts orders.
        static let path = "/v1/orders"
        /// The header field with the idempotency key.
        static let keyField = "Idempotency-Key"

        /// The number in the history, which is never used again.
        var number: Int
        /// Whether the server refuses the order until its user retries the dead letter.
        var isInvalid: Bool

        init(number: Int, isInvalid: Bool) {
            self.number = number
            self.isInvalid = isInvalid
        }

        /// The order of a request; `nil` if it has none.
        init?(_ request: URLRequest) {
            guard request.url?.path == Self.path, let body = request.httpBody,
                let order = try? JSONDecoder().decode(Self.self, from: body)
            else { return nil }
            self = order
        }

        /// Returns the request that an app enqueues.
        func request(to base: String) throws -> URLRequest {
            guard let url = URL(string: base + Self.path) else { throw URLError(.badURL) }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("order \(number)", forHTTPHeaderField: TokenLedger.callField)
            request.httpBody = try JSONEncoder().encode(self)
            return request
        }
    }
#endif
