// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How much of a body, and for how long, is looked at to find out what a response means.
@Suite(.timeLimit(.minutes(5))) struct `Evidence of a refusal` {
    let clock = TestClock()

    private func inspectedBody(of bytes: ResponseBytes, status: Int = 401) async throws -> String {
        let data = try await bytes.inspectedBody(status: status, contentType: "text/plain", on: clock.sessionClock())
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `a stalled body is inspected as far as received, and remains readable to its end`() async throws {
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        let bytes = ResponseBytes(chunks)
        network.yield(Data("one ".utf8))
        async let inspectedBody = inspectedBody(of: bytes)
        await clock.waitForSleep(for: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(try await "one ".hasPrefix(inspectedBody))
        network.yield(Data("two ".utf8))
        network.yield(Data("three".utf8))
        network.finish()
        #expect(try await bytes.data() == Data("one two three".utf8))
    }

    @Test func `an interrupted body is inspected as far as received, and its reader gets the error`() async throws {
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        let bytes = ResponseBytes(chunks)
        network.yield(Data("one".utf8))
        network.finish(throwing: URLError(.networkConnectionLost))
        #expect(try await inspectedBody(of: bytes) == "one")
        var iterator = bytes.makeAsyncIterator()
        #expect(try await iterator.next() == Data("one".utf8))
        await #expect(throws: URLError.self) { try await iterator.next() }
    }

    @Test func `a cancelled reader of a streamed body gets an error instead of a complete body`() async throws {
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        network.yield(Data("one".utf8))
        let (read, didRead) = AsyncStream<Void>.makeStream()
        let reader = Task {
            var iterator = ResponseBytes(chunks).makeAsyncIterator()
            var all = Data()
            while let chunk = try await iterator.next() {
                all += chunk
                didRead.yield()
            }
            return all
        }
        for await _ in read { break }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        network.finish()
    }

    @Test func `the received part of an interrupted body is kept beside its error only for an error status`()
        async throws
    {
        for (status, isKept) in [(401, true), (500, true), (200, false), (302, false)] {
            let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
            network.yield(Data("one".utf8))
            network.finish(throwing: URLError(.networkConnectionLost))
            let url = try Fixtures.base()
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            )
            let error = await #expect(throws: (any Error).self) { try await ResponseBytes(chunks).data(of: response) }
            let partial = error as? PartialResponse
            #expect(partial?.data == (isKept ? Data("one".utf8) : nil), "\(status)")
            #expect(((partial?.error ?? error) as? URLError)?.code == .networkConnectionLost)
        }
    }

    @Test func `a caller that is cancelled during the inspection of a body ends the transfer`() async throws {
        let ends = AsyncStream<Void>.makeStream()
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        let bytes = ResponseBytes(chunks) { ends.continuation.yield() }
        let caller = Task { try await inspectedBody(of: bytes) }
        await clock.waitForSleep(for: .seconds(10))
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(await ends.stream.first { _ in true } != nil)
        network.finish()
    }

    @Test func `response bytes that are released before the next chunk arrives end the transfer`() async throws {
        let ends = AsyncStream<Void>.makeStream()
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        do {
            let bytes = ResponseBytes(chunks) { ends.continuation.yield() }
            async let inspectedBody = inspectedBody(of: bytes)
            await clock.waitForSleep(for: .seconds(10))
            clock.advance(by: .seconds(10))
            #expect(try await inspectedBody.isEmpty)
        }
        #expect(await ends.stream.first { _ in true } != nil)
        network.finish()
    }

    @Test func `the body of a success response that is not JSON is not inspected`() async throws {
        let (chunks, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        #expect(try await inspectedBody(of: ResponseBytes(chunks), status: 200).isEmpty)
        network.finish()
    }
}
