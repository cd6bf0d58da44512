// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The network by which limits count sources: one IPv4 address, or one IPv6 /64.
///
/// An IPv6 subscriber is assigned at least a /64 and chooses among 2^64 addresses in it, so a limit by IPv6 address has
/// no effect. IPv4-mapped addresses (`::ffff:0:0/96`) and IPv4 addresses that were mapped by a stateless translator
/// (`64:ff9b::/96`, RFC 6052) count as the IPv4 address: otherwise a single /64 would contain all of IPv4.
package struct SourceNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The IPv4 address, or the first address of the /64.
    private let first: SourceAddress

    package init(_ address: SourceAddress) { first = address.networkAddress }

    /// The network as text, such as `192.0.2.7` or `2001:db8:1:2::/64`.
    package var description: String { first.isIPv4 ? first.description : "\(first)/64" }

    /// The bytes that identify the network: four for IPv4, the first eight for IPv6.
    package var bytes: [UInt8] { first.isIPv4 ? first.bytes : Array(first.bytes.prefix(8)) }
}

extension SourceAddress {
    /// The network that rate limits count this address by.
    package var network: SourceNetwork { SourceNetwork(self) }
}
