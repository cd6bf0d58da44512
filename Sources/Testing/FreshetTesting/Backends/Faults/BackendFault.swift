// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A fault of a request to a fake backend.
public enum BackendFault: Sendable, Equatable {
    /// The request is lost: the backend does not process it, and the connection closes without a response.
    case requestLost
    /// The backend processes the request, and the connection closes without a response.
    case replyLost
    /// The backend answers with this status and an error body.
    ///
    /// It processes the request first if `acts` is true.
    /// With `retryAfter`, the response has a Retry-After header with that number of seconds.
    case status(Int, retryAfter: Int? = nil, acts: Bool = false)
    /// An intermediary answers with an HTML page, as a captive portal, a proxy or a firewall does.
    case html(status: Int = 200)
    /// An intermediary answers 200 with invalid JSON that is labelled as JSON.
    case garbage
    /// The backend processes the request; half of the body arrives, with a matching Content-Length.
    case truncated
    /// The backend processes the request, and its response arrives with an empty body.
    case empty
    /// The backend processes the request, and its response has a Content-Type other than JSON.
    case mislabelled(as: String = "text/plain")
    /// The backend does not process the request, and answers 200 with `success: false`.
    case unsuccessful
    /// An intermediary redirects the request to the same path of another origin, with 307.
    ///
    /// Without `to`, the target is the other origin of the fake backend, which counts the requests to it.
    case redirect(to: String? = nil)
    /// The backend processes the request, and its response waits until the test releases it.
    case held
    /// An intermediary sends this response.
    case answer(status: Int, headers: [String: String], body: String)

    /// Whether the backend processes the request.
    package var acts: Bool {
        switch self {
        case .replyLost, .truncated, .empty, .mislabelled, .held, .status(_, _, acts: true): true
        case .requestLost, .status, .html, .garbage, .unsuccessful, .redirect, .answer: false
        }
    }

    /// Returns the response that arrives at the client.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: The backend's response without the fault; ignored if the backend does not process the request.
    ///   - otherOrigin: The target of a redirect without an origin.
    ///   - failure: Returns the app's error response for a status and a message.
    /// - Returns: The response; `nil` if none arrives.
    func answer(
        to request: BackendRequest,
        insteadOf answer: BackendResponse,
        otherOrigin: String,
        failure: (Int, String) -> BackendResponse
    ) -> BackendResponse? {
        var answer = answer
        switch self {
        case .requestLost, .replyLost:
            return nil
        case .held:
            break
        case .status(let status, let seconds, _):
            answer = failure(status, Self.message(for: status))
            // A client would take the bytes after such a response for the next response (RFC 9112 section 6.3).
            if [204, 304].contains(status) { answer = BackendResponse(status) }
            if let seconds { answer.headers["Retry-After"] = String(seconds) }
        case .html(let status):
            let page = "<!DOCTYPE html><html><body><h1>This is not the server you asked for</h1></body></html>"
            answer = BackendResponse(status, headers: ["Content-Type": "text/html"], body: Data(page.utf8))
        case .garbage:
            let bytes = Data([0x7B, 0x22, 0xFF, 0xFE, 0x00, 0x22, 0x3A, 0xC0, 0x80])
            answer = BackendResponse(200, headers: ["Content-Type": "application/json"], body: bytes)
        case .truncated:
            answer.body = Data(answer.body.prefix(answer.body.count / 2))
        case .empty:
            answer.body = Data()
        case .mislabelled(let type):
            answer.headers["Content-Type"] = type
        case .unsuccessful:
            answer = BackendResponse(json: #"{"success":false,"message":"Something went wrong"}"#)
        case .redirect(let origin):
            answer = BackendResponse(307, headers: ["Location": (origin ?? otherOrigin) + request.target])
        case .answer(let status, let headers, let body):
            answer = BackendResponse(status, headers: BackendHeaders(headers), body: Data(body.utf8))
        }
        return answer
    }

    /// Whether the response comes from the backend itself, with the date of its clock.
    var comesFromBackend: Bool {
        switch self {
        case .html, .garbage, .redirect, .answer: false
        default: true
        }
    }

    private static func message(for status: Int) -> String {
        switch status {
        case 429: "Too many requests"
        case ..<500: "Request refused"
        default: "Internal server error"
        }
    }
}
