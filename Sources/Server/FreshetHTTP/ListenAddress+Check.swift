// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

#if canImport(Glibc)
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    import Darwin
    private let streamType = SOCK_STREAM
#endif

extension ListenAddress {
    /// Returns why no process of this machine can listen on `host`; `nil` if one can.
    ///
    /// It uses a port that the system chooses, so a server on the configured port does not matter.
    package static func fault(of host: String) -> String? {
        guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: 0) else {
            return "it is neither an address nor a host that can be resolved"
        }
        let descriptor = socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, streamType, 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        let result = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard result != 0 else { return nil }
        return errno == EADDRNOTAVAIL
            ? "no network interface of this machine has this address" : String(cString: strerror(errno))
    }
}
