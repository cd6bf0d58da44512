// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension WebSocketCase {
    private static let sizes = [0, 1, 2, 124, 125, 126, 127, 128, 255, 256, 4096, 65_535, 65_536]

    /// 1: messages of all length forms.
    static let framing: [Self] = {
        var cases: [Self] = []
        for (index, size) in sizes.enumerated() {
            let text = String(repeating: "*", count: size)
            let bytes = [UInt8](repeating: 0xFE, count: size)
            cases.append(Self("1.1.\(index + 1)", "text of \(size) bytes", [.text(text)], messages: [.text(text)]))
            cases.append(
                Self("1.2.\(index + 1)", "binary of \(size) bytes", [.binary(bytes)], messages: [.binary(bytes)])
            )
        }
        let hello = CaseFrame.text("Hello")
        let binary = CaseFrame.binary([UInt8](repeating: 7, count: 200))
        cases += [
            .failing("1.3.1", "5 bytes, length in 16 bits", [hello.with { $0.length = .bits16 }]),
            .failing("1.3.2", "5 bytes, length in 64 bits", [hello.with { $0.length = .bits64 }]),
            .failing("1.3.3", "200 bytes, length in 64 bits", [binary.with { $0.length = .bits64 }]),
            .failing("1.3.4", "a length of 2^63", [hello.with { $0.length = .declared(1 << 63) }]),
            .failing("1.3.5", "a length of 2^64 - 1", [hello.with { $0.length = .declared(.max) }]),
            Self(
                "1.4.1",
                "three messages",
                [hello, binary, hello],
                messages: [.text("Hello"), .binary(binary.payload), .text("Hello")]
            ),
            Self("1.4.2", "binary that is not UTF-8", [.binary([0xC3, 0x28])], messages: [.binary([0xC3, 0x28])]),
            Self("1.4.3", "binary that is UTF-8", [.binary([0x61])], messages: [.binary([0x61])]),
        ]
        return cases
    }()

    /// 2: pings and pongs.
    static let pings: [Self] = {
        var cases: [Self] = []
        for size in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 64, 124, 125] {
            let payload = (0..<size).map { UInt8(255 - $0) }
            let (ping, pong) = (CaseFrame(9, payload), CaseFrame(10, payload))
            cases += [
                Self("2.1.\(size)", "a ping of \(size) bytes", [ping], pongs: [payload]),
                Self("2.2.\(size)", "an unsolicited pong of \(size) bytes", [pong]),
                Self("2.3.\(size)", "a pong of \(size) bytes, then a ping", [pong, ping], pongs: [payload]),
            ]
        }
        for (index, size) in [126, 127, 1000].enumerated() {
            let payload = [UInt8](repeating: 0x61, count: size)
            cases += [
                .failing("2.4.\(index + 1)", "a ping of \(size) bytes", [CaseFrame(9, payload)]),
                .failing("2.5.\(index + 1)", "a pong of \(size) bytes", [CaseFrame(10, payload)]),
            ]
        }
        let ten = (1...10).map { "payload-\($0)" }
        cases += [
            Self("2.10", "ten pings", ten.map { .ping($0) }, pongs: ten.map { Array($0.utf8) }),
            Self("2.11", "ten pongs and a message", ten.map { .pong($0) } + [.text("a")], messages: [.text("a")]),
            Self(
                "2.12",
                "pings around messages",
                [.ping("1"), .text("a"), .ping("2"), .binary([1]), .ping("3")],
                messages: [.text("a"), .binary([1])],
                pongs: ["1", "2", "3"].map { Array($0.utf8) }
            ),
        ]
        return cases
    }()

    /// 3 and 4: reserved bits and reserved opcodes.
    static let reserved: [Self] = {
        var cases: [Self] = []
        let before = CaseFrame.text("before")
        for bits in UInt8(1)...7 {
            let frames: [(String, CaseFrame)] = [
                ("text", .text("a")), ("binary", .binary([1])), ("close", .close(1000)), ("ping", .ping("a")),
                ("pong", .pong("a")), ("empty text", .text("")),
            ]
            for (index, (name, frame)) in frames.enumerated() {
                let frame = frame.with { $0.reserved = bits }
                cases += [
                    .failing("3.\(bits).\(index + 1)", "RSV \(bits) on \(name)", [frame]),
                    .failing(
                        "3.\(bits).\(index + 11)",
                        "RSV \(bits) on \(name), after a message",
                        [before, frame],
                        messages: [.text("before")]
                    ),
                ]
            }
            let (start, rest) = (CaseFrame.text("a", fin: false), CaseFrame.rest("b"))
            cases += [
                .failing("3.\(bits).21", "RSV \(bits) on the first fragment", [start.with { $0.reserved = bits }]),
                .failing(
                    "3.\(bits).22",
                    "RSV \(bits) on the last fragment",
                    [start, rest.with { $0.reserved = bits }]
                ),
                .failing(
                    "3.\(bits).23",
                    "RSV \(bits) on a ping between fragments",
                    [start, .ping().with { $0.reserved = bits }]
                ),
            ]
        }
        for (section, opcodes) in [(1, UInt8(3)...7), (2, UInt8(11)...15)] {
            for (index, opcode) in opcodes.enumerated() {
                let number = "4.\(section).\(index + 1)"
                cases += [
                    .failing("\(number).1", "opcode \(opcode)", [CaseFrame(opcode)]),
                    .failing("\(number).2", "opcode \(opcode) with a payload", [CaseFrame(opcode, [0x61])]),
                    .failing(
                        "\(number).3",
                        "opcode \(opcode) after a message",
                        [before, CaseFrame(opcode)],
                        messages: [.text("before")]
                    ),
                    .failing("\(number).4", "opcode \(opcode) without FIN", [CaseFrame(opcode, [0x61], fin: false)]),
                    .failing(
                        "\(number).5",
                        "opcode \(opcode) between fragments",
                        [.text("a", fin: false), CaseFrame(opcode)]
                    ),
                ]
            }
        }
        return cases
    }()

    /// 8: masking.
    static let masking: [Self] = {
        let frames: [(String, [CaseFrame])] = [
            ("text", [.text("a")]), ("empty text", [.text("")]), ("binary", [.binary([1])]),
            ("close", [.close(1000)]), ("empty close", [CaseFrame(8)]), ("ping", [.ping("a")]),
            ("empty ping", [.ping()]),
            ("pong", [.pong("a")]), ("first fragment", [.text("a", fin: false)]),
            ("last fragment", [.text("a", fin: false), .rest("b")]),
            ("long text", [.text(String(repeating: "a", count: 300))]),
        ]
        return frames.enumerated().map { index, entry in
            var frames = entry.1
            frames[frames.count - 1].hasWrongMasking = true
            return .failing("8.1.\(index + 1)", "wrong masking of \(entry.0)", frames)
        }
    }()

    /// 12 and 13: permessage-deflate (RFC 7692) without negotiation.
    static let compression: [Self] = {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let packed = CaseFrame(1, hello).with { $0.reserved = 4 }
        return [
            .failing("12.1", "a compressed message", [packed]),
            .failing(
                "12.2",
                "a compressed message's first fragment",
                [CaseFrame(1, Array(hello.prefix(3)), fin: false).with { $0.reserved = 4 }]
            ),
            .failing("12.3", "a compressed binary message", [CaseFrame(2, hello).with { $0.reserved = 4 }]),
            .failing("12.4", "an empty compressed message", [CaseFrame(1, [0]).with { $0.reserved = 4 }]),
            .failing("13.1", "a compressed message after a plain one", [.text("a"), packed], messages: [.text("a")]),
            .failing("13.2", "a compressed message without RSV1", [CaseFrame(1, hello)], 1007),
        ]
    }()
}
