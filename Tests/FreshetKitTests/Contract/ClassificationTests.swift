// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire
import Testing

@testable import FreshetKit

@Suite struct `Classification of answers` {
    private static let tokenChannels = [Channel.login, .refresh, .logout, .confirm, .report]

    private func classify(_ status: Int, _ channel: Channel, _ error: String?, reason: String? = nil) -> Outcome {
        guard let error else { return Contract.freshet.classify(HTTPReply(status: status), on: channel) }
        let reason = reason.map { #","reason":"\#($0)""# } ?? ""
        let answer = HTTPReply(
            status: status,
            headers: ["Content-Type": "application/json; charset=utf-8"],
            body: Data(#"{"error":"\#(error)"\#(reason)}"#.utf8)
        )
        return Contract.freshet.classify(answer, on: channel)
    }

    /// Every code of the wire, with its own status, on every channel that carries tokens.
    @Test(arguments: tokenChannels, ErrorCode.allCases)
    fileprivate func `every error code is classified as its expected outcome on each token channel`(
        channel: Channel,
        code: ErrorCode
    ) {
        let isRefusal = channel == .login && [400, 401, 403, 409].contains(code.status)
        let expected: Outcome =
            switch code {
            case .invalidRequest, .invalidGrant, .unsupportedGrantType, .invalidScope, .invalidClient, .invalidToken,
                .insufficientScope, .originNotAllowed, .stepUpRequired, .superseded, .conflict:
                if isRefusal {
                    .refused(code: code.rawValue, message: nil)
                } else {
                    switch code {
                    case .invalidGrant: .sessionEnded(.unspecified)
                    case .superseded: [.refresh, .report].contains(channel) ? .superseded : .transient(retryAfter: nil)
                    case .conflict: .transient(retryAfter: nil)
                    default: .misconfigured("\(code.status) \(code.rawValue)")
                    }
                }
            case .notFound, .methodNotAllowed, .contentTooLarge, .unsupportedMediaType, .upgradeRequired,
                .headersTooLarge:
                .misconfigured("\(code.status) \(code.rawValue)")
            case .tooManyRequests: .throttled(retryAfter: nil)
            case .requestTimeout, .serverError, .notImplemented, .unavailable: .transient(retryAfter: nil)
            }
        #expect(classify(code.status, channel, code.rawValue) == expected)
    }

    @Test(arguments: EndReason.allCases)
    fileprivate func `the reason in an invalid_grant response is reported as the reason of the session's end`(
        reason: EndReason
    ) {
        let outcome = classify(400, .refresh, "invalid_grant", reason: reason.rawValue)
        guard case .sessionEnded(let ended) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(ended.rawValue == reason.rawValue)
        #expect(ended.isTheft == reason.isTheft)
    }

    @Test func `an unknown end reason ends the session and is reported by its name`() {
        #expect(classify(400, .refresh, "invalid_grant", reason: "new") == .sessionEnded(.other("new")))
    }

    /// An app shows it and acts on it: neither a text of any kind nor what only the app itself knows comes from a server.
    @Test(arguments: ["", "<b>x</b>", "a sentence", "other", "requested", "replaced", "unrenewable", "unknown"])
    func `an end reason that a server must not send ends the session and is reported as unspecified`(reason: String) {
        #expect(classify(400, .refresh, "invalid_grant", reason: reason) == .sessionEnded(.unspecified))
    }

    /// Responses with these statuses must never sign a user out.
    @Test(arguments: tokenChannels, [0, 100, 300, 301, 302, 307, 308] + Array(400...599))
    fileprivate func `no status ends a session without a matching error code`(channel: Channel, status: Int) {
        for error in [nil, "unknown_code", "invalid_client"] {
            if case .sessionEnded = classify(status, channel, error) { Issue.record("\(status) \(error ?? "no body")") }
        }
        guard status != 400 else { return }
        if case .sessionEnded = classify(status, channel, "invalid_grant") { Issue.record("\(status)") }
    }

    @Test(arguments: tokenChannels)
    fileprivate func `an HTML page is classified as a transient failure regardless of its status`(channel: Channel) {
        for status in [200, 400, 401, 403, 404, 500] {
            let page = HTTPReply(
                status: status,
                headers: ["Content-Type": "text/html"],
                body: Data(#"{"error":"invalid_grant"}"#.utf8)
            )
            #expect(Contract.freshet.classify(page, on: channel) == .transient(retryAfter: nil))
        }
    }

    @Test func `an empty HTML response counts as delivered for a logout, and as transient for a login or refresh`() {
        for status in [200, 204] {
            let nothing = HTTPReply(status: status, headers: ["Content-Type": "text/html"])
            for channel in [Channel.logout, .confirm, .report] {
                #expect(Contract.freshet.classify(nothing, on: channel) == .delivered)
            }
            for channel in [Channel.login, .refresh] {
                #expect(Contract.freshet.classify(nothing, on: channel) == .transient(retryAfter: nil))
            }
        }
    }

    @Test func `an empty or oversized response to a refresh is a contract violation`() {
        #expect(classify(204, .confirm, nil) == .delivered)
        #expect(classify(204, .refresh, nil) == .contractViolation("the response is empty"))
        let huge = HTTPReply(status: 200, headers: ["Content-Type": "application/json"], body: Data(count: 300_000))
        #expect(Contract.freshet.classify(huge, on: .refresh) == .contractViolation("the response is too large"))
    }

    @Test(
        arguments: [
            (200, nil, Outcome.delivered), (204, nil, .delivered), (302, nil, .delivered), (400, nil, .delivered),
            (401, nil, .accessExpired), (401, #"Bearer error="invalid_token""#, .accessExpired),
            (401, #"Bearer error="insufficient_user_authentication""#, .stepUp), (403, nil, .forbidden),
            (403, #"Bearer error="insufficient_user_authentication""#, .stepUp), (404, nil, .delivered),
            (408, nil, .transient(retryAfter: nil)), (409, nil, .delivered), (425, nil, .transient(retryAfter: nil)),
            (429, nil, .throttled(retryAfter: nil)), (500, nil, .transient(retryAfter: nil)),
            (503, nil, .transient(retryAfter: nil)),
        ] as [(Int, String?, Outcome)]
    )
    fileprivate func `a response to an API request is classified by its status and WWW-Authenticate challenge`(
        status: Int,
        challenge: String?,
        outcome: Outcome
    ) {
        let headers = challenge.map { ["WWW-Authenticate": $0] } ?? [:]
        #expect(Contract.freshet.classify(HTTPReply(status: status, headers: headers), on: .api) == outcome)
    }

    @Test(
        arguments: [
            ("5", nil, 5.0), ("0", nil, 0), ("-1", nil, nil), ("soon", nil, nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:07 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
        ] as [(String, String?, Double?)]
    )
    func `Retry-After is read as seconds, or as a date by the server's own clock`(
        text: String,
        date: String?,
        seconds: Double?
    ) {
        let answer = HTTPReply(
            status: 503,
            headers: ["Retry-After": text].merging(date.map { ["Date": $0] } ?? [:]) { $1 }
        )
        #expect(answer.retryDelay == seconds.map { .seconds($0) })
        #expect(Contract.freshet.classify(answer, on: .refresh) == .transient(retryAfter: answer.retryDelay))
    }
}
