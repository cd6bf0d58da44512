// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The address block that one site or organisation is typically assigned: an IPv4 /24 or an IPv6 /48.
package struct SourceAddressBlock: Hashable, Sendable {
    private let bits: UInt64
    private let isIPv4: Bool

    package init(_ address: SourceAddress) {
        isIPv4 = address.isIPv4
        let length = address.isIPv4 ? 3 : 6
        bits = address.withUnsafeBytes { $0.prefix(length).reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
