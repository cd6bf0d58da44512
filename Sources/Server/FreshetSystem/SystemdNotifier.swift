// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Reports the state of the service to systemd, by the datagram of `sd_notify(3)`.
package enum SystemdNotifier {
    /// Sends a state; does nothing without a socket.
    ///
    /// - Parameters:
    ///   - state: The assignments, such as `READY=1`.
    ///   - path: The path of the socket, or its abstract name after an `@`.
    package static func send(
        _ state: String = "READY=1",
        to path: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
    ) {
        #if canImport(Glibc)
            guard let path else { return }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(path.utf8)
            // An abstract name begins with a zero byte.
            if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
            let start = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 2
            guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard socket >= 0 else { return }
            defer { close(socket) }
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    sendto(socket, state, state.utf8.count, 0, address, socklen_t(start + bytes.count))
                }
            }
        #endif
    }
}
