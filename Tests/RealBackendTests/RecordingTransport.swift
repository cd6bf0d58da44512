// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The SDK's own transport, with a record of the answers, and answers that the network loses.
actor RecordingTransport: HTTPTransport {
    /// The statuses that the app's requests got.
    private(set) var calls: [Int] = []
    /// The statuses that requests to token endpoints got.
    private(set) var exchanges: [Int] = []
    /// The most requests to token endpoints that were under way at one time.
    private(set) var mostExchangesAtOnce = 0
    private var exchangesUnderWay = 0
    private var lossesLeft = 0
    private let network = URLSessionTransport()

    /// Forgets what was.
    func forget() {
        calls = []
        exchanges = []
        mostExchangesAtOnce = exchangesUnderWay
    }

    /// Lets the next answer of a token endpoint vanish after the backend gave it.
    func loseNextExchange() { lossesLeft += 1 }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let answer = try await network.data(for: request)
        calls.append(answer.1.statusCode)
        return answer
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        exchangesUnderWay += 1
        defer { exchangesUnderWay -= 1 }
        mostExchangesAtOnce = max(mostExchangesAtOnce, exchangesUnderWay)
        let answer = try await network.exchange(request, deadline: deadline)
        exchanges.append(answer.1.statusCode)
        guard lossesLeft == 0 else {
            lossesLeft -= 1
            throw URLError(.networkConnectionLost)
        }
        return answer
    }
}
