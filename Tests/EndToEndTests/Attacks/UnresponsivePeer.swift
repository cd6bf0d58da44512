// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#endif

/// A TCP connection to loopback that writes and never reads.
final class UnresponsivePeer: Sendable {
    private let descriptor: Int32

    /// Connects, with the smallest receive buffer that the system gives.
    ///
    /// - Parameters:
    ///   - port: Where the server listens.
    ///   - source: The local address to connect from.
    /// - Throws: `POSIXError` if there is no connection.
    init(port: Int, from source: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var size: Int32 = 2048
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        // A listener that accepts nothing would keep `connect` waiting for minutes, and with it a thread of all tests.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var local = Self.address(source, port: 0)
        var remote = Self.address("127.0.0.1", port: port)
        guard Self.with(&local, { bind(descriptor, $0, $1) }) == 0,
            Self.with(&remote, { connect(descriptor, $0, $1) }) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    private static func address(_ text: String, port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        _ = inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    private static func with(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
        -> Int32
    {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Writes `text` again and again, until the server takes nothing for half a second or `limit` bytes are out.
    ///
    /// - Returns: The number of bytes that were written.
    @discardableResult
    func flood(_ text: String, limit: Int) -> Int {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < limit {
            let offset = sent % bytes.count
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
                continue
            }
            guard errno == EAGAIN, wait(for: Int16(POLLOUT), milliseconds: 500) else { return sent }
        }
        return sent
    }

    /// Writes bytes once; the system has room for them.
    func send(_ text: String) { flood(text, limit: text.utf8.count) }

    private func wait(for events: Int16, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Returns once the server has closed the connection.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, as at the time limit of its test.
    func closed() async throws {
        let isCancelled = NIOLockedValueBox(false)
        try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    // POLLRDHUP, which needs _GNU_SOURCE: the end is seen behind bytes that are not read.
                    while !wait(for: 0x2000, milliseconds: 500), !isCancelled.withLockedValue({ $0 }) {}
                    continuation.resume()
                }
            }
            try Task.checkCancellation()
        } onCancel: {
            isCancelled.withLockedValue { $0 = true }
        }
    }
}
