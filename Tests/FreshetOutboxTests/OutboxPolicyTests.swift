// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `Outbox policy` {
    private func disposition(
        _ status: Int,
        headers: [String: String] = [:],
        body: String = "",
        policy: OutboxPolicy = OutboxPolicy(),
        contract: Contract = .freshet,
        after redirect: OutboxRedirect? = nil
    ) throws -> OutboxDisposition {
        let url = try Fixtures.base()
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers)
        )
        let data = Data(body.utf8)
        let outcome = contract.classify(HTTPReply(data, response), on: .api)
        return policy.disposition(on: data, response, outcome, after: redirect)
    }

    @Test(arguments: [200, 201, 202, 204, 207]) func `an item whose response has a 2xx status is delivered`(status: Int)
        throws
    {
        #expect(try disposition(status) == .delivered)
    }

    @Test(
        arguments: [
            ("text/html; charset=utf-8", "<!DOCTYPE html><html>Sign in</html>", false),
            ("application/xhtml+xml", "\n <html>", false), (nil, "<HTML><body>", false),
            (nil, "<!doctype HTML>", false),
            ("text/html", "OK", true), ("text/html", "", true), ("text/html", #"{"id":1}"#, true),
            ("text/xml", "<?xml version='1.0'?><ok/>", true), (nil, "<ok/>", true), ("application/json", "<", true),
        ] as [(String?, String, Bool)]
    )
    func `a 200 response with an HTML page is not a delivery, and the item is retried`(
        type: String?,
        body: String,
        isDelivered: Bool
    ) throws {
        let headers = type.map { ["Content-Type": $0] } ?? [:]
        #expect(try disposition(200, headers: headers, body: body) == (isDelivered ? .delivered : .retry(after: nil)))
    }

    @Test func `a response after a redirect is not a delivery unless the app's policy accepts it`() throws {
        let page = ["Content-Type": "text/html"]
        #expect(try disposition(200, body: "{}", after: .otherMethod) == .dead)
        #expect(try disposition(200, headers: page, body: "<html>", after: .otherMethod) == .retry(after: nil))
        #expect(try disposition(303, headers: page, body: "<html>", after: .otherMethod) == .dead)
        #expect(try disposition(404, after: .otherMethod) == .dead)
        #expect(try disposition(503, after: .otherMethod) == .retry(after: nil))
        for status in [200, 302, 307, 404] {
            #expect(try disposition(status, after: .otherOrigin) == .retry(after: nil), "\(status)")
        }
        var policy = OutboxPolicy()
        policy.deliveredStatuses = [303]
        #expect(try disposition(303, policy: policy, after: .otherMethod) == .delivered)
        policy.responseClassifier = { _, response in response.statusCode == 307 ? .delivered : nil }
        #expect(try disposition(307, policy: policy, after: .otherOrigin) == .delivered)
        #expect(try disposition(401, policy: policy, after: .otherMethod) == .hold)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 507])
    func `an item is retried after a temporary error status, with the delay of Retry-After`(
        status: Int
    ) throws {
        #expect(try disposition(status) == .retry(after: nil))
        #expect(try disposition(status, headers: ["Retry-After": "7"]) == .retry(after: .seconds(7)))
    }

    @Test(arguments: [301, 302, 304, 307, 400, 403, 404, 405, 409, 410, 413, 415, 422, 451])
    func `an item becomes a dead letter after a permanent error or a redirect status`(status: Int) throws {
        #expect(try disposition(status) == .dead)
    }

    @Test func `a refused token holds the lane, and so does a request for step-up authentication`() throws {
        #expect(try disposition(401) == .hold)
        let challenge = ["WWW-Authenticate": #"Bearer error="insufficient_user_authentication""#]
        #expect(try disposition(403, headers: challenge) == .hold)
    }

    @Test func `a status that the app's policy counts as delivered is a delivery, except 401`() throws {
        var policy = OutboxPolicy()
        policy.deliveredStatuses = [409, 401]
        #expect(try disposition(409, policy: policy) == .delivered)
        #expect(try disposition(410, policy: policy) == .dead)
        #expect(try disposition(401, policy: policy) == .hold, "a refused token is never a delivery")
    }

    @Test func `an app's response classifier overrides the outcome of a response, except of a 401`() throws {
        var policy = OutboxPolicy()
        policy.responseClassifier = { data, _ in data == Data("later".utf8) ? .retry(after: .seconds(3)) : nil }
        #expect(try disposition(200, body: "later", policy: policy) == .retry(after: .seconds(3)))
        #expect(try disposition(200, body: "now", policy: policy) == .delivered)
        #expect(try disposition(401, body: "later", policy: policy) == .hold)
    }

    @Test func `a transport or session error causes a retry or a hold, never a dead letter`() {
        let policy = OutboxPolicy()
        let errors: [any Error] = [
            URLError(.notConnectedToInternet), URLError(.timedOut), CancellationError(),
            SessionError.storeUnavailable(SessionStoreError(.locked, "")), SessionError.invalidResponse(""),
            SessionError.cancelled, SessionError.refused(code: "", message: nil),
        ]
        for error in errors { #expect(policy.disposition(on: error) == .retry(after: nil)) }
        #expect(policy.disposition(on: SessionError.offline(retryAfter: .seconds(9))) == .retry(after: .seconds(9)))
        #expect(policy.disposition(on: SessionError.stepUpRequired) == .hold)
    }
}
