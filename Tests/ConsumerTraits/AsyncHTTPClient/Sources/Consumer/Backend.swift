// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// A backend of raw sockets that takes the token `new` only.
final class Backend: @unchecked Sendable {
    static let large = 128 * 1024 * 1024

    let base: URL
    private let lock = NSLock()
    private var paths: [String] = []
    private var count = 0

    /// Requests so far, as path and token.
    var seen: [String] { lock.withLock { paths } }

    /// How much of the large answer is on its way.
    var sent: Int {
        get { lock.withLock { count } }
        set { lock.withLock { count = newValue } }
    }

    init() throws {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            signal(SIGPIPE, SIG_IGN)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw CocoaError(.fileReadUnknown)
        }
        base = url
        Thread.detachNewThread { [self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread {
                    self.serve(connection)
                    close(connection)
                }
            }
        }
    }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        while true {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
                guard let more = Self.receive(connection) else { return }
                bytes += more
                continue
            }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            bytes = Array(bytes[end.upperBound...])
            let lines = head.split(separator: "\r\n")
            func field(_ name: String) -> String? {
                lines.first { $0.lowercased().hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
            }
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let token = field("authorization")?.replacing("Bearer ", with: "")
            lock.withLock { paths.append("\(path) \(token ?? "-")") }
            let length = field("content-length").flatMap { Int($0) } ?? 0
            if path == "/files", token != "new" {
                // In the middle of the body.
                Self.send(connection, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
                while Self.receive(connection) != nil {}
                return
            }
            var taken = min(length, bytes.count)
            bytes.removeFirst(taken)
            while taken < length, let more = Self.receive(connection) { taken += more.count }
            guard answer(connection, path, token, taken) else { return }
        }
    }

    private func answer(_ connection: Int32, _ path: String, _ token: String?, _ taken: Int) -> Bool {
        switch path {
        case _ where path.hasSuffix("/token"):
            let grant = #"{"access_token":"new","token_type":"Bearer","expires_in":600,"refresh_token":"r2"}"#
            return Self.send(
                connection,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(grant.utf8.count)\r\n\r\n\(grant)"
            )
        case "/refused" where token != "new":
            // Much more than anybody looks at.
            Self.send(connection, "HTTP/1.1 401 Unauthorized\r\nContent-Length: \(Self.large)\r\n\r\n")
            return sendLarge(connection)
        case _ where token != "new":
            return Self.send(connection, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        case "/large":
            Self.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: \(Self.large)\r\n\r\n")
            return sendLarge(connection)
        case "/files":
            let text = String(taken)
            return Self.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        case "/redirected":
            return Self.send(connection, "HTTP/1.1 302 Found\r\nLocation: /things\r\nContent-Length: 0\r\n\r\n")
        case "/moved":
            return Self.send(connection, "HTTP/1.1 302 Found\r\nLocation: ftp://nowhere/\r\nContent-Length: 0\r\n\r\n")
        default: return Self.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        }
    }

    private func sendLarge(_ connection: Int32) -> Bool {
        let piece = [UInt8](repeating: 0, count: 64 * 1024)
        for _ in 0..<Self.large / piece.count {
            guard Self.send(connection, piece) else { return false }
            lock.withLock { count += piece.count }
        }
        return true
    }

    private static func receive(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(connection, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    @discardableResult
    private static func send(_ connection: Int32, _ text: String) -> Bool { send(connection, Array(text.utf8)) }

    private static func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
