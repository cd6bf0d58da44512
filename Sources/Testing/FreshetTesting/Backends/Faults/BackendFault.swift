// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// What goes wrong with a request to a backend's double.
public enum BackendFault: Sendable, Equatable {
    /// The request does not arrive: nothing happens, and the connection closes without an answer.
    case requestLost
    /// The backend acts, and the connection closes without an answer.
    case replyLost
    /// The backend answers this status in its own words, before or after it has acted.
    ///
    /// With `retryAfter` it asks to come back after so many seconds.
    case status(Int, retryAfter: Int? = nil, acts: Bool = false)
    /// Something on the way answers with a page: a hotel's network, a proxy, a firewall.
    case html(status: Int = 200)
    /// Something on the way answers 200 with bytes that it calls JSON and that are none.
    case garbage
    /// The backend acts, and half of its answer arrives, with the right length.
    case truncated
    /// The backend acts, and its answer arrives with nothing in it.
    case empty
    /// The backend acts, and its answer says that it is something else than JSON.
    case mislabelled(as: String = "text/plain")
    /// The backend does not act, and answers 200 with `success: false`.
    case unsuccessful
    /// Something on the way redirects the request to the same path of another origin, with 307.
    ///
    /// Without `to` that is ``BackendSettings/otherOrigin``, where the double counts what arrives.
    case redirect(to: String? = nil)
    /// The backend acts, and its answer waits for ``AppBackend/release()``.
    case held

    /// Whether the backend does what it was asked to.
    var acts: Bool {
        switch self {
        case .replyLost, .truncated, .empty, .mislabelled, .held, .status(_, _, acts: true): true
        case .requestLost, .status, .html, .garbage, .unsuccessful, .redirect: false
        }
    }

    /// What arrives at the client.
    ///
    /// - Parameters:
    ///   - request: What was asked.
    ///   - answer: What the backend answers if nobody comes between; nothing if it does not act.
    ///   - otherOrigin: Where a redirect leads that names no origin.
    ///   - failure: How the app's backend words a failure.
    /// - Returns: `nil` if nothing arrives.
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
            answer = failure(status, Self.words(for: status))
            // Bytes behind such an answer would be taken for the next one (RFC 9112 section 6.3).
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
            answer = .json(200, ["success": false, "message": "Something went wrong"])
        case .redirect(let origin):
            answer = BackendResponse(307, headers: ["Location": (origin ?? otherOrigin) + request.target])
        }
        return answer
    }

    /// Whether what arrives is the backend's own answer, with the date by its clock.
    var comesFromBackend: Bool {
        switch self {
        case .html, .garbage, .redirect: false
        default: true
        }
    }

    private static func words(for status: Int) -> String {
        switch status {
        case 429: "Too many requests"
        case ..<500: "Request refused"
        default: "Internal server error"
        }
    }
}
