// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The syntax of the value of `Host` (RFC 9110 section 7.2): a host (RFC 3986 section 3.2.2) and an optional port.
package enum HostField {
    /// Whether a value without surrounding spaces is valid; an empty one is.
    package static func isValid(_ value: some StringProtocol) -> Bool {
        var rest = value.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[rest.index(after: rest.startIndex)..<end]
            guard !address.isEmpty, address.allSatisfy({ isHostCharacter($0) || $0 == UInt8(ascii: ":") }) else {
                return false
            }
            rest = rest[rest.index(after: end)...]
        } else {
            rest = rest.drop(while: isHostCharacter)
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Whether a byte may be in a registered name: unreserved, a sub-delimiter, or part of a percent-encoding.
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("): true
        case UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","): true
        case UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: false
        }
    }
}
