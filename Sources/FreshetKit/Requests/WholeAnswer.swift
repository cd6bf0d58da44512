// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request under way whose answer is handed over when it is complete.
final class WholeAnswer: Reception {
    private struct State {
        var response: HTTPURLResponse?
        var data = Data()
    }

    private let state = Locked(State())
    private let end = Race<Result<(Data, HTTPURLResponse), any Error>>()

    func receive(_ response: HTTPURLResponse) { state.withLock { $0.response = response } }

    func receive(_ data: Data) { state.withLock { $0.data.append(data) } }

    func finish(_ error: (any Error)?) {
        let state = state.withLock { $0 }
        switch (error, state.response) {
        case (let error?, _): end.finish(with: .failure(error))
        case (nil, let response?): end.finish(with: .success((state.data, response)))
        case (nil, nil): end.finish(with: .failure(URLError(.badServerResponse)))
        }
    }

    /// Waits for it.
    ///
    /// Call it once.
    func value() async throws -> (Data, HTTPURLResponse) { try await end.value().get() }
}
