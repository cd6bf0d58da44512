// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

/// A socket that accepts whoever comes, and never says a word.
final class SilentSocket {
    private let socket: Int32
    private let accepted = Locked<[Int32]>([])

    init(_ path: URL) throws {
        #if canImport(Glibc)
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Darwin.socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(socket, 16) == 0)
        Thread.detachNewThread { [socket, accepted] in
            while case let one = accept(socket, nil, nil), one >= 0 { accepted.withLock { $0.append(one) } }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        for one in accepted.withLock({ $0 }) { close(one) }
    }

    /// How many came.
    var connections: Int { accepted.withLock { $0.count } }
}
