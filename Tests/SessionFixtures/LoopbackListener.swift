// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetKit

/// Takes connections on a free port of this machine, and serves each on a thread of its own.
package final class LoopbackListener: Sendable {
    package let port: UInt16
    private let handle: Int32
    private let connections = Locked<Set<Int32>>([])

    package init() throws {
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
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.handle = handle
        port = UInt16(bigEndian: address.sin_port)
    }

    package var base: URL { get throws { try Fixtures.url("http://127.0.0.1:\(port)") } }

    /// Calls `serve` with each connection, which is closed when it returns.
    package func start(_ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [self] in
            while case let connection = accept(handle, nil, nil), connection >= 0 {
                connections.withLock { _ = $0.insert(connection) }
                Thread.detachNewThread { [self] in
                    serve(connection)
                    connections.withLock { connections in
                        connections.remove(connection)
                        close(connection)
                    }
                }
            }
            // The thread that uses a descriptor closes it: closed elsewhere, its number may be reused meanwhile.
            close(handle)
        }
    }

    /// Takes no more connections, and ends those there are.
    package func stop() {
        shutdown(handle, Int32(SHUT_RDWR))
        connections.withLock { connections in
            for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }
}
