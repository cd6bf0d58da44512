// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Glibc)
    import Foundation
    import FreshetSystem
    import Glibc
    import Testing

    @Suite struct `systemd notification` {
        @Test func `the state is sent to the socket that systemd names`() throws {
            let path = "/tmp/freshet-notify-\(UUID())"
            let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            try #require(receiver >= 0)
            defer {
                close(receiver)
                unlink(path)
            }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0)
            SystemdNotifier.send("READY=1", to: path)
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            #expect(count == 7 && String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
        }
    }
#endif
