// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Marks requests for the backend that judges them: those of the app with their operation, all with their place.
struct LabellingTransport: HTTPTransport {
    /// The operation of the test that runs in this task.
    @TaskLocal static var operation: String?

    private let base: any HTTPTransport
    private let place: String
    private let exchanges = Locked(0)

    init(base: any HTTPTransport, place: String) { (self.base, self.place) = (base, place) }

    /// How many calls of token endpoints are under way.
    var openExchanges: Int { exchanges.withLock { $0 } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await base.data(for: labelled(request))
    }

    func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await base.send(labelled(request), body: body)
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue(place, forHTTPHeaderField: StressRequest.place)
        exchanges.withLock { $0 += 1 }
        defer { exchanges.withLock { $0 -= 1 } }
        return try await base.exchange(request, deadline: deadline)
    }

    private func labelled(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setValue(place, forHTTPHeaderField: StressRequest.place)
        // The task that sends an outbox' items may have been started by any operation.
        if request.value(forHTTPHeaderField: StressRequest.item) == nil, let operation = Self.operation {
            request.setValue(operation, forHTTPHeaderField: StressRequest.label)
        }
        return request
    }
}
