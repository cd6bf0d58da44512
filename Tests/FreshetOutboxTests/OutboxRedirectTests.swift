// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Delivered is a 2xx to the method that was sent, at the origin that it was sent to.
@Suite(.timeLimit(.minutes(5))) struct `Outbox redirects` {
    let bench: OutboxFixture

    init() async throws { bench = try await OutboxFixture() }

    private func redirect(_ pending: PendingRequest, _ status: Int, to location: String) {
        pending.answer(status, headers: ["Location": location])
    }

    @Test func `an item is retried after a redirect to a sign-in page`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), 302, to: "/login")
        let page = try await bench.transport.next(to: "/login")
        #expect(page.request.httpMethod == "GET")
        page.answer(200, headers: ["Content-Type": "text/html"], body: "<!doctype html><title>Sign in</title>")
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
        #expect(bench.files.count == 1)
        bench.clock.advance(by: .seconds(1))
        try await bench.next("one").answer(201)
        await outbox.flush()
        #expect(bench.files.isEmpty)
    }

    @Test(arguments: [302, 303, 307, 308])
    func `a redirect to another origin is not followed, and the item is retried`(status: Int) async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), status, to: "https://portal.example/login")
        _ = try await events.next { if case .retrying = $0 { true } else { false } }
        #expect(bench.transport.unclaimed.isEmpty && bench.files.count == 1)
    }

    @Test func `an item becomes a dead letter after a 303 to the same origin`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), 303, to: "/notes/1")
        try await events.next(.dead(.redirected(status: 303)))
        await outbox.flush()
        let letter = try #require(try await outbox.deadLetters().first)
        #expect(letter.reason == .redirected(status: 303) && letter.attempts == 1)
        #expect(bench.transport.unclaimed.isEmpty)
    }

    @Test func `an item is delivered after a 303 that the app's classifier counts as a delivery`() async throws {
        var configuration = OutboxConfiguration()
        configuration.policy.responseClassifier = { _, response in
            response.value(forHTTPHeaderField: "Location") == "/notes/1" ? .delivered : nil
        }
        let outbox = try bench.outbox(configuration)
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), 303, to: "/notes/1")
        try await events.next(.delivered(status: 303))
    }

    @Test func `an item becomes a dead letter when a 301 turns its POST into a GET`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), 301, to: "/other")
        try await bench.transport.next(to: "/other").answer(200, json: "{}")
        try await events.next(.dead(.redirected(status: 200)))
    }

    @Test(arguments: [307, 308]) func `a redirect that keeps method and origin is followed`(status: Int) async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        redirect(try await bench.next("one"), status, to: "/v2/notes")
        let second = try await bench.next("one")
        #expect(second.path == "/v2/notes" && second.request.httpMethod == "POST" && second.bearer == "access-1")
        second.answer(201)
        try await events.next(.delivered(status: 201))
    }

    @Test func `an item becomes a dead letter after more redirects than the limit`() async throws {
        let outbox = try bench.outbox()
        let events = outbox.events
        try await outbox.enqueue(try bench.request("one"))
        for _ in 0...Redirect.limit { redirect(try await bench.transport.next(), 302, to: "/notes") }
        try await events.next(.dead(.redirected(status: 302)))
    }

    @Test func `a request outside the outbox follows a 303 to another origin, without its access token`() async throws {
        let request = try bench.request("one")
        async let answer = bench.session.data(for: request)
        redirect(try await bench.next("one"), 303, to: "https://other.example/x")
        let second = try await bench.transport.next()
        #expect(second.request.httpMethod == "GET" && second.bearer == nil)
        second.answer(200)
        #expect(try await answer.1.statusCode == 200)
    }
}
