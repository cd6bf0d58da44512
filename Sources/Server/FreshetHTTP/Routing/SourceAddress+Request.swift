// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CNIOLinux
package import FreshetEngine
import FreshetIdentity
package import HTTPTypes
import NIOCore
import SwiftGlibc

extension SourceAddress {
    /// Returns a request's source: the peer, or the client that a trusted proxy forwards for.
    package static func source(of fields: HTTPFields, peer: SourceAddress?, proxies: [AddressRange]) -> SourceAddress? {
        // Only a trusted proxy may name another source.
        if proxies.isEmpty { return peer }
        return source(peer: peer, forwarded: fields[values: .forwardedFor], proxies: proxies)
    }

    /// The address of a connection's peer; `nil` for a Unix socket.
    init?(_ address: SocketAddress) {
        let found: SourceAddress? =
            switch address {
            case .v4(let address): Swift.withUnsafeBytes(of: address.address.sin_addr) { SourceAddress(raw: $0) }
            case .v6(let address): Swift.withUnsafeBytes(of: address.address.sin6_addr) { SourceAddress(raw: $0) }
            case .unixDomainSocket: nil
            }
        guard let found else { return nil }
        self = found
    }
}
