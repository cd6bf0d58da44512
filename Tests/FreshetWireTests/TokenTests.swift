// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetWire

@Suite struct `Refresh tokens` {
    static let session = SessionID("00112233-4455-6677-8899-aabbccddeeff")
    static let mac = [UInt8](repeating: 0xA5, count: 32)

    private func token(_ generation: UInt64, _ branch: UInt64 = 0) throws -> RefreshToken {
        RefreshToken(
            body: RefreshTokenPayload(
                keyID: 3,
                session: try #require(Self.session),
                generation: generation,
                branch: branch
            ),
            mac: Self.mac
        )
    }

    /// The text of arbitrary bytes, as a hostile client would make it.
    private func text(_ bytes: [UInt8]) -> String { "frt_" + Base64URL.encode(bytes) }

    private func fault(_ text: String) -> RefreshTokenError? {
        do {
            _ = try RefreshToken(text)
            return nil
        } catch { return error }
    }

    @Test func `a refresh token has the layout of the protocol`() throws {
        let expected: [UInt8] =
            [1, 3, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]
            + [0xAC, 2, 1] + Self.mac
        #expect(try token(300, 1).text == text(expected))
    }

    @Test(arguments: [0, 1, 127, 128, 1 << 40, UInt64.max], [0, 1, 200, UInt64.max] as [UInt64])
    func `a refresh token is unchanged by encoding and decoding, and its text has a limited length`(
        generation: UInt64,
        branch: UInt64
    ) throws {
        let token = try token(generation, branch)
        #expect(try RefreshToken(token.text) == token)
        #expect(token.text.utf8.count <= RefreshToken.maximumTextLength)
    }

    @Test func `refresh tokens of another version are distinguished from malformed ones`() throws {
        var bytes = try token(0).body.bytes + Self.mac
        for version in [0, 2, 255] as [UInt8] {
            bytes[0] = version
            #expect(fault(text(bytes)) == .unknownVersion(version))
        }
        #expect(fault(text([2])) == .unknownVersion(2))
    }

    @Test func `a refresh token that is truncated anywhere is refused`() throws {
        let genuine = try token(300, 1)
        let bytes = genuine.body.bytes + Self.mac
        for whole in [genuine.text, try token(0).text, try token(.max, .max).text] {
            for length in 0..<whole.count { #expect(fault(String(whole.prefix(length))) == .malformed) }
        }
        // Cut between two bytes, the text alone has nothing wrong with it.
        for count in 1..<bytes.count { #expect(fault(text(Array(bytes.prefix(count)))) == .malformed) }
        #expect(fault(text(Array(bytes.prefix(33)))) == .malformed)
        #expect(fault(text(Array(bytes.prefix(32)))) == .malformed)
    }

    @Test func `a refresh token with additional bytes or characters is refused`() throws {
        let whole = try token(0)
        #expect(fault(text(whole.body.bytes + [0] + Self.mac)) == .malformed)
        #expect(fault(whole.text + "A") != nil)
        #expect(fault(whole.text + String(repeating: "A", count: 400)) == .malformed)
    }

    @Test func `a refresh token with an overlong or too large number is refused`() throws {
        let head = Array(try token(0).body.bytes.prefix(18))
        #expect(fault(text(head + [0x80, 0x00, 0x00] + Self.mac)) == .malformed)
        #expect(fault(text(head + [0x00, 0x80, 0x00] + Self.mac)) == .malformed)
        #expect(fault(text(head + [UInt8](repeating: 0xFF, count: 9) + [0x02, 0x00] + Self.mac)) == .malformed)
    }

    @Test func `a refresh token in another alphabet, with padding or with another prefix is refused`() throws {
        let whole = try token(300, 1).text
        #expect(fault(whole + "=") == .malformed)
        // Bytes that both alphabets write with the characters in which they differ.
        let bytes = RefreshToken(body: try token(300, 1).body, mac: [UInt8](repeating: 0xFB, count: 32)).text.dropFirst(
            4
        )
        #expect(fault("frt_" + bytes) == nil)
        for (ours, theirs) in [("_", "/"), ("-", "+")] {
            #expect(bytes.contains(ours))
            #expect(fault("frt_" + bytes.replacing(ours, with: theirs)) == .malformed)
        }
        #expect(fault("FRT_" + whole.dropFirst(4)) == .malformed)
        #expect(fault(String(whole.dropFirst(4))) == .malformed)
        #expect(fault(" " + whole) == .malformed)
        #expect(fault(whole + "\n") == .malformed)
        #expect(fault("") == .malformed)
        #expect(fault("frt_") == .malformed)
    }

    @Test func `a refresh token with a non-canonical last character is refused`() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // 20 + 32 bytes and 21 + 32 bytes leave four and two unused bits.
        for whole in [try token(0).text, try token(300).text] {
            let last = try #require(whole.last)
            let index = try #require(alphabet.firstIndex(of: last))
            let other = whole.dropLast() + String(alphabet[index ^ 1])
            #expect(fault(String(other)) == .malformed)
        }
    }
}

@Suite struct `Session ids and intents` {
    @Test func `a session id in upper case is read, and written in lower case`() throws {
        let id = try #require(SessionID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(id.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(SessionID(id.description) == id)
    }

    @Test(arguments: ["", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeffa", "zz"])
    func `a malformed session id is refused`(text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test func `an intent is read from its text and written as the same text`() throws {
        let intent = try #require(Intent("AAECAwQFBgcICQoLDA0ODw"))
        #expect(intent.bytes == Array(0..<16))
        #expect(intent.text == "AAECAwQFBgcICQoLDA0ODw")
    }

    @Test(arguments: [
        "", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODx", "AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0ODxAR",
    ])
    func `a malformed or non-canonical intent is refused`(text: String) {
        #expect(Intent(text) == nil)
    }

    @Test func `two random intents differ, and so do two random session ids`() {
        #expect(Intent.random() != Intent.random())
        #expect(SessionID.random() != SessionID.random())
    }
}

@Suite struct `Random UUIDs` {
    @Test func `random UUIDs are of version 4, and differ in each of the other bits`() {
        let first = UUID.random().uuid
        var seen = [UInt8](repeating: 0, count: 16)
        for _ in 0..<100 {
            let uuid = UUID.random().uuid
            let text = UUID(uuid: uuid).uuidString
            #expect(text[text.index(text.startIndex, offsetBy: 14)] == "4")
            #expect("89AB".contains(text[text.index(text.startIndex, offsetBy: 19)]))
            withUnsafeBytes(of: (first, uuid)) { bytes in
                for index in 0..<16 { seen[index] |= bytes[index] ^ bytes[16 + index] }
            }
        }
        #expect(seen == [255, 255, 255, 255, 255, 255, 15, 255, 63, 255, 255, 255, 255, 255, 255, 255])
    }
}
