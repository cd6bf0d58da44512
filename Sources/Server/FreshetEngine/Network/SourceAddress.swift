// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The source address of a request: four bytes, or sixteen (an IPv4-mapped address is four).
package struct SourceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Stored as IPv6, inline: every request has one, and an array would need an allocation.
    private let bits: Bits128
    package let isIPv4: Bool

    /// Creates an address from bytes in network order.
    ///
    /// - Returns: `nil` unless it is four or sixteen bytes long.
    package init?(raw bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 4:
            let clothes = UInt64(0xFFFF) << 32 | UInt64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
            bits = Bits128(0, clothes.bigEndian)
            isIPv4 = true
        case 16:
            bits = Bits128(startOf: bytes)
            isIPv4 = bytes.starts(with: Self.mapped)
        default: return nil
        }
    }

    private init(ipv6 bits: Bits128) {
        self.bits = bits
        isIPv4 = false
    }

    /// Parses an address from a header field: IPv6 with or without brackets, with or without a port.
    package init?(_ text: String) {
        guard (2...60).contains(text.utf8.count) else { return nil }
        let scalars = text.unicodeScalars[...]
        var (host, port) = (scalars, scalars.suffix(0))
        if scalars.first == "[" {
            guard let end = scalars.firstIndex(of: "]") else { return nil }
            (host, port) = (scalars[..<end].dropFirst(), scalars[end...].dropFirst())
        } else if scalars.count(where: { $0 == ":" }) == 1 {
            host = scalars.prefix { $0 != ":" }
            port = scalars[host.endIndex...]
        }
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(Self.isDigit) else { return nil }
        let address = host.prefix { $0 != "%" }
        guard address.endIndex == host.endIndex || address.contains(":") && host.allSatisfy(Self.isZoned) else {
            return nil
        }
        self.init(numeric: String(address))
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// Whether a character may be part of an IPv6 address with its zone (RFC 4007 section 11).
    private static func isZoned(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || isDigit(scalar) || ":%.-_~".unicodeScalars.contains(scalar))
    }

    /// Parses an address in the system's format only.
    package init?(numeric host: String) {
        // The system's function reads up to the first zero.
        guard !host.utf8.contains(0) else { return nil }
        var (four, sixteen) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 {
            guard let four = Swift.withUnsafeBytes(of: four, { Self(raw: $0) }) else { return nil }
            self = four
        } else if inet_pton(AF_INET6, host, &sixteen) == 1 {
            guard let sixteen = Swift.withUnsafeBytes(of: sixteen, { Self(raw: $0) }) else { return nil }
            self = sixteen
        } else {
            return nil
        }
    }

    /// The four or sixteen bytes, in network order.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the four or sixteen bytes.
    package func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try bits.withUnsafeBytes { bytes in
            try body(isIPv4 ? UnsafeRawBufferPointer(rebasing: bytes.suffix(4)) : bytes)
        }
    }

    /// The first address of the network that rate limits count this address by; see ``SourceNetwork``.
    var networkAddress: SourceAddress {
        if isIPv4 { return self }
        return bits.withUnsafeBytes { bytes in
            if bytes.starts(with: Self.translated) {
                return SourceAddress(raw: UnsafeRawBufferPointer(rebasing: bytes.suffix(4))) ?? self
            }
            return SourceAddress(ipv6: Bits128(bytes.loadUnaligned(as: UInt64.self), 0))
        }
    }

    package var isLoopback: Bool {
        isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    package var description: String { Self.text(bytes) }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = bytes.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
