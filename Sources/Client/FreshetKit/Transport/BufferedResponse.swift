// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Collects the response of one request and returns it when it is complete.
final class BufferedResponse: ResponseReceiver {
    private struct State {
        var response: HTTPURLResponse?
        var data = Data()
        var isTooLong = false
    }

    private let limit: Int
    private let keepsPartialRefusals: Bool
    private let stop: @Sendable () -> Void
    private let state = Locked(State())
    private let end = FirstResult<Result<(Data, HTTPURLResponse), any Error>>()

    /// Creates a receiver of one response.
    ///
    /// - Parameters:
    ///   - limit: The maximum body size, in bytes.
    ///   - keepsPartialRefusals: Whether the error includes the partial body of a truncated response with a status of
    ///     400 or more.
    ///   - stop: Cancels the transfer.
    init(limit: Int, keepsPartialRefusals: Bool, stop: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.keepsPartialRefusals = keepsPartialRefusals
        self.stop = stop
    }

    func receive(_ response: HTTPURLResponse) { state.withLock { $0.response = response } }

    func receive(_ data: Data) {
        let isFirstBeyond = state.withLock { state in
            guard !state.isTooLong else { return false }
            guard state.data.count + data.count > limit else {
                state.data.append(data)
                return false
            }
            state.isTooLong = true
            state.data = Data()
            return true
        }
        guard isFirstBeyond else { return }
        end.finish(with: .failure(URLError(.dataLengthExceedsMaximum)))
        stop()
    }

    func finish(_ error: (any Error)?) {
        let state = state.withLock { $0 }
        switch (error, state.response) {
        case (let error?, let response?)
        where keepsPartialRefusals && response.statusCode >= 400 && !error.isCancellation:
            end.finish(with: .failure(PartialResponse(data: state.data, response: response, error: error)))
        case (let error?, _): end.finish(with: .failure(error))
        case (nil, let response?): end.finish(with: .success((state.data, response)))
        case (nil, nil): end.finish(with: .failure(URLError(.badServerResponse)))
        }
    }

    /// Waits for the response.
    ///
    /// Must be called once.
    func value() async throws -> (Data, HTTPURLResponse) { try await end.value().get() }
}

extension Error {
    fileprivate var isCancellation: Bool { self is CancellationError || (self as? URLError)?.code == .cancelled }
}
