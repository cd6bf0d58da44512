// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The rules that classify the response to an item.
public struct OutboxPolicy: Sendable {
    /// The handling of a lane whose item became a dead letter.
    public enum DeadLetterRule: Sendable {
        /// The lane continues with the next item.
        case skip
        /// The lane waits until the dead letter is discarded, or retried in its old position.
        case hold
    }

    /// The statuses that mean that the server already has the item, such as 409 for some backends.
    public var deliveredStatuses: Set<Int> = []
    /// The handling of a lane whose item became a dead letter.
    public var deadLetters = DeadLetterRule.skip
    /// The app's own classification of a response; `nil` applies the rules.
    ///
    /// Not called for a response that refuses the access token. Redirects to other origins, and 303, are not followed:
    /// the closure receives the redirect itself.
    public var responseClassifier: (@Sendable (Data, HTTPURLResponse) -> OutboxDisposition?)?

    /// Creates a policy with the default rules.
    public init() {}

    /// Classifies a response, given its outcome for the session.
    ///
    /// An item counts as delivered if the response is a 2xx to the original method at the original origin.
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
        case .refused, .forbidden, .invalidRequest, .misconfigured: return .dead
        case .delivered, .accessExpired, .sessionEnded, .stepUp: break
        }
        switch status {
        // An HTML document is a sign-in page, or comes from a captive portal.
        case 200...299: return answer.isHTMLDocument ? .retry(after: delay) : .delivered
        case 408, 425, 429, 500...599: return .retry(after: delay)
        // Includes a redirect that was not followed: a retry would get the same response.
        default: return .dead
        }
    }

    /// Classifies an error that occurred without a response; such an error is never caused by the item.
    func disposition(on error: any Error) -> OutboxDisposition {
        switch error as? SessionError {
        case .stepUpRequired: .hold
        case .offline(let delay, _): .retry(after: delay)
        default: .retry(after: nil)
        }
    }
}
