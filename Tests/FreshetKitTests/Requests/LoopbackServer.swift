// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures

@testable import FreshetKit

/// A server of raw sockets on this machine that does to each request what a test says.
final class LoopbackServer: Sendable {
    enum Behavior: Sendable {
        case answer(String)
        /// Reads the request and closes the connection.
        case close
        /// Reads the request, and never answers.
        case hang
    }

    /// Everything that arrived, one text a connection's request.
    let requests: AsyncStream<String>
    private let listener: LoopbackListener
    private let arrived: AsyncStream<String>.Continuation
    private let seen = Locked<[String]>([])

    /// Reads each request to its end, and does what the test says.
    convenience init(_ behavior: @escaping @Sendable (String) -> Behavior) throws {
        try self.init { server, handle in server.serve(handle, behavior) }
    }

    /// Leaves each connection to the test.
    convenience init(connection: @escaping @Sendable (LoopbackConnection) -> Void) throws {
        try self.init { _, handle in connection(LoopbackConnection(handle: handle)) }
    }

    private init(serve: @escaping @Sendable (LoopbackServer, Int32) -> Void) throws {
        (requests, arrived) = AsyncStream.makeStream()
        listener = try LoopbackListener()
        listener.start { [self] in serve(self, $0) }
    }

    func stop() {
        listener.stop()
        arrived.finish()
    }

    var count: Int { seen.withLock { $0.count } }
    var port: UInt16 { listener.port }
    var base: URL { get throws { try listener.base } }

    private func serve(_ connection: Int32, _ behavior: @Sendable (String) -> Behavior) {
        while let request = Self.readRequest(connection) {
            seen.withLock { $0.append(request) }
            arrived.yield(request)
            switch behavior(request) {
            case .answer(let text):
                let bytes = Array(text.utf8)
                guard send(connection, bytes, bytes.count, LoopbackConnection.sendFlags) == bytes.count else { return }
            case .close: return
            case .hang:
                var byte: UInt8 = 0
                _ = recv(connection, &byte, 1, 0)
                return
            }
        }
    }

    /// Reads one request with its body; `nil` at the connection's end.
    private static func readRequest(_ connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard let head = text.range(of: "\r\n\r\n") else { continue }
            let length = text.lowercased().firstRange(of: "content-length: ").map { range in
                Int(text.lowercased()[range.upperBound...].prefix { $0.isNumber }) ?? 0
            }
            if text[head.upperBound...].utf8.count >= length ?? 0 { return text }
        }
    }
}
