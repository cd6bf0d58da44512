// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A CIDR range of addresses, such as `10.0.0.0/8`; a single address is a range of one.
package struct AddressRange: Equatable, Sendable {
    private let first: SourceAddress
    private let bits: Int

    package init?(_ text: String) {
        let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ SourceAddress(String($0)) }), parts.count <= 2 else { return nil }
        let length = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(String(parts[1])) : length, (0...length).contains(bits) else {
            return nil
        }
        first = address
        self.bits = bits
    }

    package func contains(_ address: SourceAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = bits / 8
        guard address.bytes.prefix(whole) == first.bytes.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0
    }
}

extension SourceAddress {
    /// The maximum number of hops that are followed.
    private static let maximumHops = 20

    /// Returns the client's address behind proxies: the nearest address that is not a trusted proxy.
    ///
    /// Only the operator's proxies are trusted. Entries of `X-Forwarded-For` to the left of the last address that is
    /// not a trusted proxy were sent by the client and may be forged.
    ///
    /// - Parameters:
    ///   - peer: The address at the other end of the connection.
    ///   - forwarded: The values of `X-Forwarded-For`, in their order.
    ///   - proxies: The operator's own proxies.
    /// - Returns: The peer's address, unless the peer is a proxy.
    package static func source(
        peer: SourceAddress?,
        forwarded: [String],
        proxies: [AddressRange]
    ) -> SourceAddress? {
        guard var source = peer, proxies.contains(where: { $0.contains(source) }) else { return peer }
        let hops = forwarded.flatMap { $0.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false) }
        for hop in hops.suffix(maximumHops).reversed() {
            let text = hop.drop { $0 == " " || $0 == "\t" }
            let end = text.lastIndex { $0 != " " && $0 != "\t" }.map(text.index(after:)) ?? text.startIndex
            guard let next = SourceAddress(String(text[..<end])) else { return source }
            source = next
            guard proxies.contains(where: { $0.contains(next) }) else { break }
        }
        return source
    }
}
