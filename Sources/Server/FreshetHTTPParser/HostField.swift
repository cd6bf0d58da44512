// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// The syntax of the value of `Host` (RFC 9110 section 7.2): a host (RFC 3986 section 3.2.2) and an optional port.
package enum HostField {
    /// Whether a value without surrounding spaces is valid; an empty one is.
    package static func isValid(_ value: some StringProtocol) -> Bool {
        var rest = value.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), isAddress(rest[..<end].dropFirst()) else {
                return false
            }
            rest = rest[rest.index(after: end)...]
        } else {
            rest = rest.drop(while: isNameCharacter)
            while rest.first == UInt8(ascii: "%") {
                let digits = rest.dropFirst().prefix(2)
                guard digits.count == 2, digits.allSatisfy(isHexDigit) else { return false }
                rest = rest.dropFirst(3).drop(while: isNameCharacter)
            }
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit)
    }

    /// Whether the text between brackets is an IPv6 address, or one of a future version.
    ///
    /// Clients leave out the zone of an address, which only they know (RFC 6874 section 4).
    private static func isAddress(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "v") else {
            // The decoder reads other texts up to a zero byte.
            let isPlain = text.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
            let address = isPlain ? try? SocketAddress(ipAddress: String(decoding: text, as: UTF8.self), port: 0) : nil
            return address?.protocol == .inet6
        }
        let version = text.dropFirst().prefix(while: isHexDigit)
        let rest = text.dropFirst(version.count + 1)
        let address = rest.dropFirst()
        return !version.isEmpty && rest.first == UInt8(ascii: ".") && !address.isEmpty
            && address.allSatisfy { isNameCharacter($0) || $0 == UInt8(ascii: ":") }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Whether a byte may be in a registered name as itself: unreserved, or a sub-delimiter.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("): true
        case UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","): true
        case UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: false
        }
    }
}
