// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The network that one subscriber controls: an IPv4 address, or the first 64 bits of an IPv6 address.
package struct SourceNetwork: Hashable, Sendable {
    private let bits: UInt64
    private let isIPv4: Bool

    package init(_ address: SourceAddress) {
        bits = address.withUnsafeBytes { $0.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
        isIPv4 = address.isIPv4
    }
}
