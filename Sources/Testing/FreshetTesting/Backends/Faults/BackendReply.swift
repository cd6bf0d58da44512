// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The reaction of a fake backend to a request.
package enum BackendReply: Sendable {
    case answer(BackendResponse)
    /// A response that is sent when the test releases it.
    case held(PendingReply)
    /// The connection closes without a response; the backend may have processed the request.
    case hangUp

    /// Returns the response to a request of `URLSession`; a held response is returned at once.
    ///
    /// - Throws: `URLError.networkConnectionLost` if the connection closes.
    package func urlResponse(to request: URLRequest) throws -> (Data, HTTPURLResponse) {
        let response: BackendResponse
        switch self {
        case .answer(let answer): response = answer
        case .held(let held): response = held.response
        case .hangUp: throw URLError(.networkConnectionLost)
        }
        return try PendingRequest.answer(to: request, response.status, response.headers.fields, response.body)
    }

    /// Returns the response to a request of `URLSession`, once the test has released it if it is held.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clock: The clock to tell that a held response began to wait or was released.
    /// - Returns: The body and the head of the response.
    /// - Throws: `URLError.networkConnectionLost` if the connection closes; `CancellationError`.
    package func releasedURLResponse(
        to request: URLRequest,
        reportingTo clock: TestClock?
    ) async throws -> (Data, HTTPURLResponse) {
        if case .held(let held) = self {
            clock?.recordChange()
            defer { clock?.recordChange() }
            _ = try await held.released()
        }
        return try urlResponse(to: request)
    }
}
