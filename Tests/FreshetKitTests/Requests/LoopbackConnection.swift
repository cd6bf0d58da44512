// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

/// One connection of a loopback server, read and written as its test says.
final class LoopbackConnection: Sendable {
    /// A request's head.
    struct Head {
        let text: String
        let length: Int

        var path: String { text.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        var token: String? {
            text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization: bearer ") }
                .map { String($0.dropFirst(22)) }
        }
    }

    private let handle: Int32
    /// The bytes that were read beyond the head.
    private let rest = Locked<[UInt8]>([])

    init(handle: Int32) { self.handle = handle }

    /// Reads the head of the next request; `nil` at the connection's end.
    func head() -> Head? {
        var bytes = rest.withLock { rest in
            defer { rest = [] }
            return rest
        }
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                rest.withLock { $0 = Array(bytes[end.upperBound...]) }
                let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
                return Head(text: text, length: length.flatMap { Int($0.dropFirst(16)) } ?? 0)
            }
            guard let more = receive() else { return nil }
            bytes += more
        }
    }

    /// Reads so much of the body, and forgets it.
    ///
    /// - Returns: How much came before the connection's end.
    @discardableResult
    func skip(_ count: Int) -> Int {
        var seen = min(count, rest.withLock { $0.count })
        rest.withLock { $0.removeFirst(seen) }
        while seen < count, let more = receive() { seen += more.count }
        return seen
    }

    /// - Returns: Whether the other side took it.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// A client that is gone must not end the tests.
    #if canImport(Darwin)
        static let sendFlags: Int32 = 0
    #else
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// Waits for the other side's room.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(handle, $0.baseAddress, $0.count, Self.sendFlags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends a body of zeros in pieces of 64 KiB.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - pause: The pause after each piece, in microseconds: networks are slower than this machine's memory.
    ///   - told: Called with the number of bytes sent so far.
    /// - Returns: Whether the other side took all.
    @discardableResult
    func sendZeros(_ count: Int, pause: UInt32 = 0, told: (Int) -> Void = { _ in }) -> Bool {
        let piece = [UInt8](repeating: 0, count: 65_536)
        var sent = 0
        while sent < count {
            guard send(Array(piece.prefix(count - sent))) else { return false }
            sent += min(piece.count, count - sent)
            told(sent)
            // The pace of a slow network, not a wait for an event.
            if pause > 0 { usleep(pause) }
        }
        return true
    }

    /// Waits until the other side ends the connection.
    func untilClosed() {
        while receive() != nil {}
    }

    private func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(handle, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
