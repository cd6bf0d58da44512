// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device's network with faults; requests that it carries reach the real server.
final class FaultyAppNetwork: HTTPTransport {
    private struct State {
        var isOff = false
        var losesRefreshResponse = false
        var callStatus: Int?
        var refreshes = 0
        var simultaneousRefreshes = 1
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let transport = URLSessionTransport()
    private let state = NIOLockedValueBox(State())

    /// The number of refreshes that were sent.
    var refreshes: Int { state.withLockedValue { $0.refreshes } }

    func setOff(_ value: Bool) { state.withLockedValue { $0.isOff = value } }

    /// Loses the response to the next refresh, after the server has sent it.
    func loseRefreshResponse() { state.withLockedValue { $0.losesRefreshResponse = true } }

    /// Answers the next request of the app with a status, as a proxy does.
    func answerCall(_ status: Int) { state.withLockedValue { $0.callStatus = status } }

    /// Holds refreshes until so many are on their way.
    func holdRefreshes(until count: Int) { state.withLockedValue { $0.simultaneousRefreshes = count } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await carry(request) { try await transport.data(for: request) }
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await carry(request) { try await transport.exchange(request, deadline: deadline) }
    }

    private func carry(
        _ request: URLRequest,
        _ send: () async throws -> (Data, HTTPURLResponse)
    ) async throws -> (Data, HTTPURLResponse) {
        if state.withLockedValue({ $0.isOff }) { throw URLError(.notConnectedToInternet) }
        guard let url = request.url, url.path.hasSuffix("/auth/refresh") else {
            let status = state.withLockedValue { state in
                defer { state.callStatus = nil }
                return state.callStatus
            }
            guard let status, let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            else { return try await send() }
            return (Data(), response)
        }
        await depart()
        let reply = try await send()
        let isLost = state.withLockedValue { state in
            defer { state.losesRefreshResponse = false }
            return state.losesRefreshResponse
        }
        if isLost { throw URLError(.networkConnectionLost) }
        return reply
    }

    private func depart() async {
        await withCheckedContinuation { departure in
            let departing = state.withLockedValue { state in
                state.refreshes += 1
                state.waiting.append(departure)
                guard state.waiting.count >= state.simultaneousRefreshes else {
                    return [CheckedContinuation<Void, Never>]()
                }
                defer { (state.waiting, state.simultaneousRefreshes) = ([], 1) }
                return state.waiting
            }
            for departure in departing { departure.resume() }
        }
    }
}
