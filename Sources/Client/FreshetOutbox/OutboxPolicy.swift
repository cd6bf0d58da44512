// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What an answer means to an item of the outbox, as a pure rule.
public struct OutboxPolicy: Sendable {
    /// What happens to a lane whose item became a dead letter.
    public enum DeadLetterRule: Sendable {
        /// The next item of the lane goes on.
        case skip
        /// The lane waits until the dead letter is retried, then in its old place, or discarded.
        case hold
    }

    /// Statuses that mean that the server already has what was sent, as 409 does on some.
    public var deliveredStatuses: Set<Int> = []
    /// What happens to a lane whose item became a dead letter.
    public var deadLetters = DeadLetterRule.skip
    /// The app's own opinion of an answer; `nil` leaves it to the rules.
    ///
    /// It is not asked about an answer that refuses the access token. Redirects to other origins, and 303, are not followed:
    /// it sees the redirect itself.
    public var responseClassifier: (@Sendable (Data, HTTPURLResponse) -> OutboxDisposition?)?

    /// The rules alone.
    public init() {}

    /// What an answer means, given what it means to the session.
    ///
    /// Delivered is a 2xx to the method that was sent, at the origin that it was sent to.
    func disposition(
        on data: Data,
        _ response: HTTPURLResponse,
        _ outcome: Outcome,
        after redirect: OutboxRedirect? = nil
    ) -> OutboxDisposition {
        switch outcome {
        case .accessExpired, .sessionEnded, .stepUp: return .hold
        default: break
        }
        if let disposition = responseClassifier?(data, response) { return disposition }
        let status = response.statusCode
        if deliveredStatuses.contains(status) { return .delivered }
        let answer = HTTPReply(data, response)
        let delay = answer.retryDelay
        switch redirect {
        case .otherOrigin: return .retry(after: delay)
        case .otherMethod where status < 400:
            return answer.isHTMLDocument && status != 303 ? .retry(after: delay) : .dead
        case .otherMethod, nil: break
        }
        switch outcome {
        case .throttled, .transient, .superseded, .contractViolation: return .retry(after: delay)
        case .refused, .forbidden, .misconfigured: return .dead
        case .delivered, .accessExpired, .sessionEnded, .stepUp: break
        }
        switch status {
        // A sign-in page, or one of a captive portal's.
        case 200...299: return answer.isHTMLDocument ? .retry(after: delay) : .delivered
        case 408, 425, 429, 500...599: return .retry(after: delay)
        // Also a redirect that was not followed: sending the same again would bring the same.
        default: return .dead
        }
    }

    /// What it means that there is no answer: the item is never to blame.
    func disposition(on error: any Error) -> OutboxDisposition {
        switch error as? SessionError {
        case .stepUpRequired: .hold
        case .offline(let delay): .retry(after: delay)
        default: .retry(after: nil)
        }
    }
}
