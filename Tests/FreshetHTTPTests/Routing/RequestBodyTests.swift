// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import FreshetHTTP

@Suite struct `Bodies of requests` {
    private func request() -> (Request, RequestBody.Source) {
        let (body, source) = RequestBody.makeStream()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
        return (Request(head: head, body: body), source)
    }

    @Test func `a request body that a disconnected client left incomplete is an invalid request`() async throws {
        let (request, source) = request()
        await source.yield(ByteBuffer(string: "half"))
        source.finish(CancellationError())
        let error = await #expect(throws: IncompleteBody.self) { try await request.content(limit: 100) }
        #expect(error?.apiError.code == .invalidRequest)
    }

    @Test func `a body that is too large is refused`() async throws {
        let (request, source) = request()
        await source.yield(ByteBuffer(repeating: 0, count: 101))
        source.finish()
        let error = await #expect(throws: APIError.self) { try await request.content(limit: 100) }
        #expect(error?.code == .contentTooLarge)
    }
}
