// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension WebSocketCase {
    /// Bytes that are not UTF-8, and the number of them that suffices to know it.
    struct InvalidSequence {
        var name: String
        var bytes: [UInt8]
        /// `nil` if more bytes could complete the sequence.
        var decided: Int?

        init(_ name: String, _ bytes: [UInt8], after decided: Int?) {
            (self.name, self.bytes, self.decided) = (name, bytes, decided)
        }
    }

    static let invalidSequences: [InvalidSequence] =
        [
            .init("after valid text", [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80, 0x61], after: 7),
            .init("two continuations", [0x80, 0xBF], after: 1),
            .init("a continuation after ASCII", [0x61, 0x80], after: 2),
            .init("a continuation after a character", [0xC3, 0xA9, 0xA9], after: 3),
            .init("first bytes in a row", [0xC3, 0xC3], after: 2),
            .init("2 bytes, cut", [0xC3], after: nil),
            .init("3 bytes, cut to 1", [0xE2], after: nil),
            .init("3 bytes, cut to 2", [0xE2, 0x82], after: nil),
            .init("4 bytes, cut to 1", [0xF0], after: nil),
            .init("4 bytes, cut to 2", [0xF0, 0x9F], after: nil),
            .init("4 bytes, cut to 3", [0xF0, 0x9F, 0x98], after: nil),
            .init("2 bytes, cut, then ASCII", [0xDF, 0x41], after: 2),
            .init("3 bytes, cut, then ASCII", [0xE2, 0x82, 0x41], after: 3),
            .init("4 bytes, cut, then ASCII", [0xF0, 0x9F, 0x98, 0x41], after: 4),
            .init("4 bytes, cut, then another character", [0xF0, 0x9F, 0xC3, 0xA9], after: 3),
            .init("overlong NUL in 2 bytes", [0xC0, 0x80], after: 1),
            .init("overlong slash in 2 bytes", [0xC0, 0xAF], after: 1),
            .init("overlong U+007F in 2 bytes", [0xC1, 0xBF], after: 1),
            .init("overlong NUL in 3 bytes", [0xE0, 0x80, 0x80], after: 2),
            .init("overlong slash in 3 bytes", [0xE0, 0x80, 0xAF], after: 2),
            .init("overlong U+07FF in 3 bytes", [0xE0, 0x9F, 0xBF], after: 2),
            .init("overlong NUL in 4 bytes", [0xF0, 0x80, 0x80, 0x80], after: 2),
            .init("overlong slash in 4 bytes", [0xF0, 0x80, 0x80, 0xAF], after: 2),
            .init("overlong U+FFFF in 4 bytes", [0xF0, 0x8F, 0xBF, 0xBF], after: 2),
            .init("overlong slash in 5 bytes", [0xF8, 0x80, 0x80, 0x80, 0xAF], after: 1),
            .init("overlong slash in 6 bytes", [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF], after: 1),
            .init("U+110000", [0xF4, 0x90, 0x80, 0x80], after: 2),
            .init("U+13FFFF", [0xF4, 0xBF, 0xBF, 0xBF], after: 2),
            .init("U+140000", [0xF5, 0x80, 0x80, 0x80], after: 1),
            .init("U+1FFFFF", [0xF7, 0xBF, 0xBF, 0xBF], after: 1),
            .init("U+200000 in 5 bytes", [0xF8, 0x88, 0x80, 0x80, 0x80], after: 1),
            .init("U+7FFFFFFF in 6 bytes", [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF], after: 1),
        ] + surrogates

    private static let surrogates: [InvalidSequence] = {
        let ends: [(UInt8, UInt8)] = [
            (0xA0, 0x80), (0xAD, 0xBF), (0xAE, 0x80), (0xAF, 0xBF), (0xB0, 0x80), (0xBE, 0x80), (0xBF, 0xBF),
        ]
        let lone = ends.map { InvalidSequence("surrogate ED \($0) \($1)", [0xED, $0, $1], after: 2) }
        let pairs = [(ends[0], ends[4]), (ends[0], ends[6]), (ends[3], ends[4]), (ends[3], ends[6])].map { high, low in
            InvalidSequence("surrogates \(high) \(low)", [0xED, high.0, high.1, 0xED, low.0, low.1], after: 2)
        }
        return lone + pairs
    }()

    private static let valid: [(name: String, text: String)] = {
        var texts = [("ASCII", "Hello-World"), ("Greek", "Hello-µ@ßöäüàá-UTF-8!!"), ("accents", "κόσμε")]
        let scalars: [UInt32] =
            [
                0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0x1_0000,
                0x1_F600, 0x3_FFFF, 0x4_0000, 0xF_FFFF, 0x10_0000, 0x10_FFFD,
            ] + (0...16).flatMap { [$0 << 16 | 0xFFFE, $0 << 16 | 0xFFFF] }
        for value in scalars {
            guard let scalar = Unicode.Scalar(value) else { continue }
            texts.append(("U+" + String(value, radix: 16, uppercase: true), "a\(Character(scalar))b"))
        }
        return texts
    }()

    /// 6.1, 6.2: text that is UTF-8, in one frame and in fragments.
    static let validText: [Self] = valid.enumerated().flatMap { index, entry in
        let bytes = Array(entry.text.utf8)
        let middle = bytes.count / 2
        let halves = [CaseFrame(1, Array(bytes[..<middle]), fin: false), CaseFrame(0, Array(bytes[middle...]))]
        let message = [Message.text(entry.text)]
        return [
            Self("6.1.\(index + 1)", entry.name, [.text(entry.text)], messages: message),
            Self("6.2.\(index + 1)", "\(entry.name) in halves", halves, messages: message),
            Self("6.22.\(index + 1)", "\(entry.name) byte by byte", bytewise(bytes), messages: message),
        ]
    }

    /// 6.3 to 6.21: text that is not UTF-8, in one frame, in fragments, and rejected before the message is complete.
    static let invalidText: [Self] = {
        var cases = invalidSequences.enumerated().flatMap { index, sequence in
            let fragments = bytewise(sequence.bytes)
            let failure = (sequence.decided ?? fragments.count) - 1
            let tail = CaseFrame(0, Array("tail".utf8), fin: false)
            var all = [
                Self.failing("6.3.\(index + 1)", sequence.name, [CaseFrame(1, sequence.bytes)], 1007),
                Self(
                    "6.4.\(index + 1)",
                    "\(sequence.name), byte by byte",
                    fragments,
                    close: .failure(1007, at: failure)
                ),
                // The message does not end: the rejection cannot wait for it.
                Self(
                    "6.5.\(index + 1)",
                    "\(sequence.name), in a message without an end",
                    [CaseFrame(1, sequence.bytes, fin: false), tail],
                    close: .failure(1007, at: sequence.decided == nil ? 1 : 0)
                ),
            ]
            all.append(
                Self(
                    "6.6.\(index + 1)",
                    "\(sequence.name), before a ping",
                    [CaseFrame(1, sequence.bytes, fin: false), .ping("a"), CaseFrame(0)],
                    pongs: sequence.decided == nil ? [[0x61]] : [],
                    close: .failure(1007, at: sequence.decided == nil ? 2 : 0)
                )
            )
            return all
        }
        for byte in UInt8(0x80)...0xFF {
            let starts = (0xC2...0xF4).contains(byte)
            cases += [
                .failing("6.7.\(byte)", "byte \(byte), then a space", [CaseFrame(1, [byte, 0x20])], 1007),
                Self(
                    "6.8.\(byte)",
                    "byte \(byte), then a space, in fragments",
                    [CaseFrame(1, [byte], fin: false), CaseFrame(0, [0x20], fin: false)],
                    close: .failure(1007, at: starts ? 1 : 0)
                ),
            ]
        }
        cases += [
            // The state of one message must not reach the next.
            Self(
                "6.9.1",
                "a message after fragments that end within no character",
                [CaseFrame(1, [0xC3], fin: false), CaseFrame(0, [0xA9]), .text("é")],
                messages: [.text("é"), .text("é")]
            ),
            Self(
                "6.9.2",
                "binary fragments after text fragments",
                [.text("é", fin: false), .rest("é"), .binary([0xFF], fin: false), CaseFrame(0, [0xFF])],
                messages: [.text("éé"), .binary([0xFF, 0xFF])]
            ),
            Self(
                "6.9.3",
                "text fragments after binary fragments",
                [
                    .binary([0xC3], fin: false), CaseFrame(0, [0xC3]), CaseFrame(1, [0xC3], fin: false),
                    CaseFrame(0, [0xA9]),
                ],
                messages: [.binary([0xC3, 0xC3]), .text("é")]
            ),
            Self(
                "6.9.4",
                "a ping within a character",
                [CaseFrame(1, [0xC3], fin: false), CaseFrame(9, [0xFF]), CaseFrame(0, [0xA9])],
                messages: [.text("é")],
                pongs: [[0xFF]]
            ),
            Self(
                "6.9.5",
                "an empty fragment within a character",
                [CaseFrame(1, [0xC3], fin: false), CaseFrame(0, fin: false), CaseFrame(0, [0xA9])],
                messages: [.text("é")]
            ),
        ]
        return cases
    }()

    /// Fragments of one byte.
    private static func bytewise(_ bytes: [UInt8]) -> [CaseFrame] {
        bytes.enumerated().map { CaseFrame($0 == 0 ? 1 : 0, [$1], fin: $0 == bytes.count - 1) }
    }
}
