// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Glibc

/// A TCP socket on 127.0.0.1; sending blocks, receiving does not.
package struct LoopbackSocket: Sendable {
    package let descriptor: Int32

    /// Connects.
    package init(port: UInt16) throws {
        descriptor = try Self.make()
        var address = Self.address(port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw SocketError(call: "connect", code: errno) }
        sendAtOnce()
    }

    /// Listens on a port that the system chooses.
    package static func listening() throws -> (socket: LoopbackSocket, port: UInt16) {
        let socket = LoopbackSocket(descriptor: try make())
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard bind(socket.descriptor, pointer, size) == 0, listen(socket.descriptor, 256) == 0 else {
                    return -1
                }
                return getsockname(socket.descriptor, pointer, &size)
            }
        }
        guard status == 0 else { throw SocketError(call: "listen", code: errno) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes the next connection.
    package func accepted() -> LoopbackSocket? {
        let peer = accept(descriptor, nil, nil)
        guard peer >= 0 else { return nil }
        let socket = LoopbackSocket(descriptor: peer)
        socket.sendAtOnce()
        return socket
    }

    /// Sends all of it, or tells that the peer is gone.
    package func sendAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = send(
                    descriptor,
                    UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count,
                    Int32(MSG_NOSIGNAL)
                )
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Receives what is there.
    ///
    /// - Returns: 0 if the peer has closed, and -1 if nothing is there yet.
    package func receive(into space: UnsafeMutableRawBufferPointer) -> Int {
        let count = recv(descriptor, space.baseAddress, space.count, Int32(MSG_DONTWAIT))
        guard count < 0 else { return count }
        return errno == EAGAIN || errno == EINTR ? -1 : 0
    }

    package func close() { _ = Glibc.close(descriptor) }

    private func sendAtOnce() {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError(call: "socket", code: errno) }
        return descriptor
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A system call that failed.
package struct SocketError: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
