// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

@testable import FreshetMail

extension FuzzTarget {
    // MARK: Forwarded addresses

    private static let proxies = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/33"].compactMap { AddressRange($0) }
    private static let peer = SourceAddress("10.0.0.1")

    /// Compares the source behind proxies with one that is found from the other end; several lines are several fields.
    static func checkForwarded(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        let source = SourceAddress.source(peer: peer, forwarded: lines, proxies: proxies)
        try require(source == referenceSource(lines), "\(source.map { "\($0)" } ?? "none") is the source")
        try require(SourceAddress.source(peer: peer, forwarded: lines, proxies: []) == peer, "no proxy is trusted")
        let outside = SourceAddress("198.51.100.7")
        try require(
            SourceAddress.source(peer: outside, forwarded: lines, proxies: proxies) == outside,
            "a client is trusted"
        )
        if let range = AddressRange(text) { _ = proxies.contains(range) }
        guard let address = SourceAddress(text) else { return source != peer }
        try require(SourceAddress(address.description) == address, "\(address) is another address")
        try require(SourceAddress("[\(address)]:80") == address, "\(address) is another address with a port")
        try require(address.bytes.count == (address.isIPv4 ? 4 : 16), "\(address.bytes.count) bytes")
        try require(!input.contains(0) || SourceAddress(numeric: text) == nil, "a zero byte ends the address")
        try require(AddressRange("\(address)")?.contains(address) == true, "\(address) is not in its own range")
        let network = address.network
        try require([4, 8].contains(network.bytes.count), "\(network)")
        return true
    }

    private static func referenceSource(_ fields: [String]) -> SourceAddress? {
        var last = peer
        let hops = fields.flatMap { $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
        for hop in hops.reversed().prefix(20) {
            guard let address = last, proxies.contains(where: { $0.contains(address) }) else { return last }
            let text = hop.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
            guard let next = SourceAddress(String(decoding: Array(text), as: UTF8.self)) else { return last }
            last = next
        }
        return last
    }

    // MARK: Mail addresses

    /// Normalises an address, and checks what the mail program would get of it.
    static func checkMailAddress(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        var isAccepted = false
        if let email = EmailAddress(text) {
            isAccepted = true
            let again = try require(EmailAddress(email.text), "\(email) is refused")
            try require(again.text.hasSameBytes(as: email.text), "\(email) becomes \(again)")
            try require(email.text.utf8.count <= EmailAddress.maximumLength, "a long address")
            try checkPlain(email.text)
        }
        guard let address = MailAddress(text) else { return isAccepted }
        try require(address.text.hasSameBytes(as: text), "\(address.text) is another text")
        try require(address.text.hasSuffix("@" + address.domain), "\(address.domain) is the domain")
        try require(address.text.utf8.first != UInt8(ascii: "-"), "an option of the mail program")
        try checkPlain(address.text)
        try require(!address.text.utf8.contains { "<>()[]:;,\\\"".utf8.contains($0) }, "a special character")
        // Some characters are longer in lower case, such as U+0130.
        let isLong = text.lowercased().utf8.count > EmailAddress.maximumLength
        try require(isLong || EmailAddress(text) != nil, "an address that cannot sign in")
        return true
    }

    private static func checkPlain(_ text: String) throws {
        try require(text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a control character or space")
        try require(text.utf8.count { $0 == UInt8(ascii: "@") } == 1, "\(text) has no single @")
        try require(!text.unicodeScalars.contains { $0.isControl }, "an invisible character")
    }
}
