// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

extension Contract {
    /// What an answer means, from its channel, status and body alone.
    func classify(_ answer: Answer, on channel: Channel) -> Outcome {
        channel == .api ? classifyAPI(answer) : classifyToken(answer, on: channel)
    }

    private func classifyAPI(_ answer: Answer) -> Outcome {
        let wantsMore = answer.authenticate?.contains("insufficient_user_authentication") == true
        switch answer.status {
        case 401: return wantsMore ? .stepUp : .accessExpired
        case 403: return wantsMore ? .stepUp : .forbidden
        case 429: return .throttled(retryAfter: answer.retryDelay)
        case 408, 425, 500...599: return .transient(retryAfter: answer.retryDelay)
        default: return .delivered
        }
    }

    private func classifyToken(_ answer: Answer, on channel: Channel) -> Outcome {
        switch answer.status {
        case 200...299:
            guard answer.body.count <= Self.largestAnswer else { return .contractViolation("the answer is too large") }
            // A captive portal answers 200 with a page.
            let isEmpty = answer.status == 204 || answer.body.isEmpty
            if isEmpty { return channel.needsGrant ? .contractViolation("the answer is empty") : .delivered }
            return answer.isJSON ? .delivered : .transient(retryAfter: nil)
        case 429: return .throttled(retryAfter: answer.retryDelay)
        case 408, 425, 500...599: return .transient(retryAfter: answer.retryDelay)
        case 400...499: break
        default: return .transient(retryAfter: nil)
        }
        // Only a body that is ours says anything; pages and proxies never sign anybody out.
        guard answer.isJSON, answer.body.count <= Self.largestAnswer,
            let body = try? JSONDecoder().decode(ErrorBody.self, from: answer.body)
        else { return .transient(retryAfter: nil) }
        return classify(body, status: answer.status, on: channel)
    }

    private func classify(_ body: ErrorBody, status: Int, on channel: Channel) -> Outcome {
        switch (channel, status, ErrorCode(rawValue: body.error)) {
        case (.signIn, 400, _), (.signIn, 401, _), (.signIn, 403, _), (.signIn, 409, _), (.signIn, 422, _):
            return .refused(code: body.error, message: body.errorDescription)
        case (_, 400, .invalidGrant):
            return .sessionEnded(SignOutReason(wire: body.reason))
        case (_, 409, .superseded):
            return .superseded
        case (_, 409, _), (_, _, nil):
            return .transient(retryAfter: nil)
        default:
            return .misconfigured("\(status) \(body.error)")
        }
    }
}

extension Channel {
    /// Whether an empty answer cannot be right.
    fileprivate var needsGrant: Bool { self == .refresh || self == .signIn }
}
