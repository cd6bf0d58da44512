// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

/// A server of raw sockets on this machine that does to each request what a test says.
final class LoopbackServer: Sendable {
    enum Deed: Sendable {
        case answer(String)
        /// Reads the request and closes the connection.
        case close
        /// Reads the request, and never answers.
        case hang
    }

    /// Everything that arrived, one text a connection's request.
    let requests: AsyncStream<String>
    let port: UInt16
    private let listener: Int32
    private let arrived: AsyncStream<String>.Continuation
    private let seen = Locked<[String]>([])
    private let open = Locked<[Int32]>([])

    /// Reads each request to its end, and does what the test says.
    convenience init(_ deed: @escaping @Sendable (String) -> Deed) throws {
        try self.init { server, handle in server.serve(handle, deed) }
    }

    /// Leaves each connection to the test.
    convenience init(connection: @escaping @Sendable (LoopbackConnection) -> Void) throws {
        try self.init { _, handle in connection(LoopbackConnection(handle: handle)) }
    }

    private init(serve: @escaping @Sendable (LoopbackServer, Int32) -> Void) throws {
        (requests, arrived) = AsyncStream.makeStream()
        #if canImport(Darwin)
            let handle = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(handle, address, length) == 0 && listen(handle, 64) == 0
                    && getsockname(handle, address, &length) == 0
            }
        }
        try #require(isBound)
        listener = handle
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let connection = accept(handle, nil, nil), connection >= 0 {
                open.withLock { $0.append(connection) }
                Thread.detachNewThread {
                    serve(self, connection)
                    self.open.withLock { open in
                        open.removeAll { $0 == connection }
                        close(connection)
                    }
                }
            }
            // Whoever uses a descriptor closes it: one closed elsewhere may be somebody else's by then.
            close(handle)
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { open in
            for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        arrived.finish()
    }

    var count: Int { seen.withLock { $0.count } }
    var base: URL { get throws { try Fixtures.url("http://127.0.0.1:\(port)") } }

    private func serve(_ connection: Int32, _ deed: @Sendable (String) -> Deed) {
        while let request = Self.readRequest(connection) {
            seen.withLock { $0.append(request) }
            arrived.yield(request)
            switch deed(request) {
            case .answer(let text):
                let bytes = Array(text.utf8)
                guard send(connection, bytes, bytes.count, 0) == bytes.count else { return }
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
