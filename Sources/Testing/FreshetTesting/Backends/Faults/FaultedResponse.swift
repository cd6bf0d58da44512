// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The response of a fake backend to a request, after the fault of its script was applied.
package struct FaultedResponse: Sendable {
    /// The response to send; `nil` closes the connection.
    package var response: BackendResponse?
    /// Whether the backend granted the request, even if its response is not sent.
    package var isGranted: Bool

    /// Applies a fault to a response.
    ///
    /// - Parameters:
    ///   - fault: The fault of the request, if any.
    ///   - request: The request.
    ///   - answer: The backend's response; `nil` if it did not process the request.
    ///   - time: The time of the backend's clock for the Date header, in seconds since 1970.
    ///   - otherOrigin: The target of a redirect without an origin.
    ///   - failure: Returns the backend's error response for a status and a message.
    package init(
        _ fault: BackendFault?,
        to request: BackendRequest,
        insteadOf answer: BackendResponse?,
        time: Double,
        otherOrigin: String,
        failure: (Int, String) -> BackendResponse
    ) {
        isGranted = answer.map { 200..<300 ~= $0.status } ?? false
        response = answer
        if let fault {
            response = fault.answer(
                to: request,
                insteadOf: answer ?? BackendResponse(200),
                otherOrigin: otherOrigin,
                failure: failure
            )
        }
        if fault?.comesFromBackend ?? true {
            response?.headers["Date"] = HTTPDate.text(secondsSince1970: Int(time.rounded(.down)))
        }
    }
}
