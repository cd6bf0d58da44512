// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The network that limits count as one client: an IPv4 address, or an IPv6 /64, whose holder can use all its addresses.
package struct SourceNetwork: Hashable, Sendable {
    private let prefix: [UInt8]

    package init(_ address: SourceAddress) {
        prefix = address.isIPv4 ? address.bytes : Array(address.bytes.prefix(8))
    }
}
