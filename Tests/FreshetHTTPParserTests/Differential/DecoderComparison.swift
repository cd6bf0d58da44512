// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// Compares the requests that the fast path accepts in a stream of bytes with those that NIO's decoder reads in it.
///
/// The tests and the fuzzer in `Fuzz/` share this file.
struct DecoderComparison {
    /// A difference between the two, or between bytes in one piece and in several.
    struct Difference: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A request that the fast path accepted, and the bytes that it consumed.
    private struct Accepted {
        let request: FastPathRequest
        let bytes: [UInt8]
    }

    /// A request as NIO's decoder reads it.
    private struct Decoded {
        var head: HTTPRequestHead
        var body: [UInt8] = []
        var hasTrailers = false
        var isComplete = false
    }

    private static let nextRequest = Array("GET /next HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

    /// Compares the two readers on bytes that arrive at once, and in pieces whose lengths depend on the bytes.
    ///
    /// - Returns: The number of requests that the fast path accepted when the bytes arrived at once.
    func compare(_ bytes: [UInt8]) throws -> Int {
        let accepted = try compare([bytes])
        let pieces = Self.pieces(of: bytes)
        _ = try compare(pieces)
        try checkPrefixes(of: bytes, pieces)
        return accepted
    }

    /// Compares the two readers on bytes that arrive in these pieces.
    ///
    /// - Returns: The number of requests that the fast path accepted.
    func compare(_ pieces: [[UInt8]]) throws -> Int {
        let (accepted, rest) = try readByFastPath(pieces)
        guard !accepted.isEmpty else { return 0 }
        // After a last complete request, another one must be read as one of its own.
        let decoded = Self.decode(rest.isEmpty ? pieces + [Self.nextRequest] : pieces)
        guard decoded.count >= accepted.count else {
            throw Difference("\(accepted.count) requests accepted, \(decoded.count) decoded")
        }
        for (one, other) in zip(accepted, decoded) { try expectEqual(one, other) }
        if rest.isEmpty {
            guard decoded.count == accepted.count + 1, decoded[accepted.count].head.uri == "/next",
                decoded[accepted.count].isComplete
            else { throw Difference("the decoder does not read the next request") }
        }
        return accepted.count
    }

    // MARK: - The fast path

    /// Returns the requests that are accepted, and the bytes that are left to NIO's decoder or wait for more.
    private func readByFastPath(_ pieces: [[UInt8]]) throws -> ([Accepted], rest: [UInt8]) {
        var machine = HTTP1FastPathStateMachine(NativeRequests.parser)
        var accepted: [Accepted] = []
        var rest: [UInt8] = []
        var received = 0
        func consumed() -> Int { accepted.reduce(0) { $0 + $1.bytes.count } }
        for piece in pieces where !piece.isEmpty {
            received += piece.count
            var action = machine.read(ByteBuffer(bytes: piece), canAnswer: true)
            while case .take(let request, let bytes) = action {
                accepted.append(Accepted(request: request, bytes: Array(bytes.readableBytesView)))
                action = machine.answered(canAnswer: true)
            }
            switch action {
            case .handOff(let bytes):
                rest = Array(bytes.readableBytesView)
                guard consumed() + rest.count == received else { throw Difference("bytes were lost at the hand-off") }
            case .pass: rest += piece
            case .wait, .take, .close: break
            }
        }
        let all = Array(pieces.joined())
        let seen: [UInt8] = accepted.flatMap(\.bytes) + rest
        guard all.starts(with: seen) else {
            throw Difference("the accepted requests and the rest are not the bytes that arrived")
        }
        return (accepted, Array(all.dropFirst(consumed())))
    }

    /// Checks that the beginning of a request is never rejected, nor taken for a whole one.
    private func checkPrefixes(of bytes: [UInt8], _ pieces: [[UInt8]]) throws {
        guard bytes.withUnsafeBytes(NativeRequests.parser.parse) != .rejected else { return }
        var count = 0
        for piece in pieces.dropLast() {
            count += piece.count
            guard count < bytes.count else { break }
            guard bytes[..<count].withUnsafeBytes(NativeRequests.parser.parse) == .incomplete else {
                throw Difference("the first \(count) bytes are not incomplete")
            }
        }
    }

    /// Cuts bytes at up to nine places that depend on them.
    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        // FNV-1a, and a linear congruential generator.
        var state = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let cuts = (0..<next(10)).map { _ in next(bytes.count + 1) }.sorted()
        return zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }

    // MARK: - NIO's decoder

    private static func decode(_ pieces: [[UInt8]]) -> [Decoded] {
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let channel = EmbeddedChannel(handler: decoder)
        // The requests that were read before an error count.
        do { for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) } } catch {}
        var requests: [Decoded] = []
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): requests.append(Decoded(head: head))
            case .body(let body): requests[requests.count - 1].body += body.readableBytesView
            case .end(let trailers):
                requests[requests.count - 1].hasTrailers = trailers != nil
                requests[requests.count - 1].isComplete = true
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return requests
    }

    private func expectEqual(_ accepted: Accepted, _ decoded: Decoded) throws {
        let (request, bytes, head) = (accepted.request, accepted.bytes, decoded.head)
        let route = NativeRequests.routes[request.endpoint]
        guard head.method.rawValue == route.method, head.uri == route.path, head.version == .http1_1 else {
            throw Difference("\(head.method) \(head.uri) is decoded, \(route) accepted")
        }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let fields = request.fields.map { "\(text($0.nameRange)): \(text($0.valueRange))" }
        guard fields == head.headers.map({ "\($0.name): \($0.value)" }) else {
            throw Difference("\(head.headers) are decoded, \(fields) accepted")
        }
        for field in request.fields where field.name != Self.name(text(field.nameRange)) {
            throw Difference("\(text(field.nameRange)) is taken for \(field.name)")
        }
        guard decoded.isComplete, !decoded.hasTrailers, decoded.body == Array(bytes[request.body]),
            request.body.upperBound == bytes.count
        else { throw Difference("\(decoded.body.count) bytes of body are decoded, \(request.body) accepted") }
        guard head.isKeepAlive else { throw Difference("the decoder closes the connection") }
        let hasBody = head.headers.contains(name: "content-length")
        let isJSON = head.headers["content-type"].map { $0.lowercased() } == ["application/json"]
        let hasUnusual = ["transfer-encoding", "upgrade", "expect"].contains { head.headers.contains(name: $0) }
        guard head.headers["host"].count == 1, hasBody == route.hasBody, !hasUnusual, isJSON || !hasBody else {
            throw Difference("a request is accepted with \(head.headers)")
        }
    }

    private static func name(_ text: String) -> FastPathRequest.FieldName {
        switch text.lowercased() {
        case "authorization": .authorization
        case "traceparent": .traceParent
        case "x-request-id": .requestID
        case "x-forwarded-for": .forwardedFor
        default: .other
        }
    }
}
