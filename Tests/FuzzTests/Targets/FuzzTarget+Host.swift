// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser

extension FuzzTarget {
    // MARK: The Host field

    private static let parser = FastPathRequestParser(
        endpoints: [FastPathEndpoint(method: "GET", path: "/v1/me", hasBody: false)],
        maximumHeaderBytes: 8192,
        maximumBodyBytes: 1024
    )

    /// Compares the reader of `Host` with the grammar, and the fast path's decision with both.
    static func checkHost(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let isValid = HostField.isValid(text)
        try require(isValid == isHost(Array(text.utf8)), isValid ? "accepted" : "refused")
        // A space before the value is no part of it, and one line is one field.
        guard input.allSatisfy({ (0x21...0x7E).contains($0) }) else { return isValid }
        let request = Array("GET /v1/me HTTP/1.1\r\nHost: ".utf8) + input + Array("\r\n\r\n".utf8)
        let isComplete = request.withUnsafeBytes { bytes in
            if case .complete = parser.parse(bytes) { true } else { false }
        }
        try require(!isComplete || isValid, "accepted only by the fast path")
        try require(
            isComplete == isPlainHost(input),
            isComplete ? "the fast path accepts it" : "the fast path refuses it"
        )
        return isValid
    }

    /// Whether a host is letters, digits, `-`, `.` and `_`, with an optional port.
    private static func isPlainHost(_ bytes: [UInt8]) -> Bool {
        let name = bytes.prefix { isUnreserved($0) && $0 != UInt8(ascii: "~") }
        return !name.isEmpty && isPort(bytes.dropFirst(name.count))
    }

    /// `uri-host [ ":" port ]` (RFC 9110 section 7.2), where `uri-host` is `host` of RFC 3986 section 3.2.2.
    private static func isHost(_ bytes: [UInt8]) -> Bool {
        if bytes.first == UInt8(ascii: "[") {
            let literal = bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            let rest = bytes.dropFirst(literal.count + 1)
            guard rest.first == UInt8(ascii: "]") else { return false }
            return (isIPv6(literal) || isFutureAddress(literal)) && isPort(rest.dropFirst())
        }
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        return isRegisteredName(name) && isPort(bytes.dropFirst(name.count))
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.isEmpty || bytes.first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy { isDigit($0) }
    }

    private static func isRegisteredName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst(), let low = rest.popFirst(), isHex(high), isHex(low) else {
                    return false
                }
            } else if !isUnreserved(byte), !"!$&'()*+,;=".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    /// `IPv6address`: eight groups of which two may be an IPv4 address, or at most seven with one `::`.
    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        let colons = UInt8(ascii: ":")
        let double = bytes.indices.dropLast().first { bytes[$0] == colons && bytes[$0 + 1] == colons }
        guard let double else { return groupCount(bytes, isLast: true) == 8 }
        guard let left = groupCount(bytes[..<double], isLast: false),
            let right = groupCount(bytes[(double + 2)...], isLast: true)
        else { return false }
        return left + right <= 7
    }

    /// Returns the number of 16-bit groups between single colons; `nil` if one is invalid.
    private static func groupCount(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Int? {
        guard !bytes.isEmpty else { return 0 }
        let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (index, group) in groups.enumerated() {
            if (1...4).contains(group.count), group.allSatisfy({ isHex($0) }) {
                count += 1
            } else if isLast, index == groups.count - 1, isIPv4(group) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }

    private static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.allSatisfy({ isDigit($0) }),
                    part.count == 1 || part.first != 0x30
                else { return false }
                return part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// `IPvFuture`.
    private static func isFutureAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first | 0x20 == UInt8(ascii: "v") else { return false }
        let version = bytes.dropFirst().prefix { isHex($0) }
        let rest = bytes.dropFirst(version.count + 1)
        guard !version.isEmpty, rest.first == UInt8(ascii: ".") else { return false }
        let address = rest.dropFirst()
        return !address.isEmpty && address.allSatisfy { isUnreserved($0) || "!$&'()*+,;=:".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~".utf8.contains(byte)
    }
}
