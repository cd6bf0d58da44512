// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension WebSocketCase {
    /// 5: fragmentation.
    static let fragmentation: [Self] = {
        let (one, two, three) = (
            CaseFrame.text("one", fin: false), CaseFrame.rest("two", fin: false), CaseFrame.rest("3")
        )
        let ping = CaseFrame.ping("alive?")
        let pong = Array("alive?".utf8)
        let both: Message = .text("onetwo3")
        var cases: [Self] = [
            .failing("5.1", "a ping without FIN", [CaseFrame(9, [0x61], fin: false)]),
            .failing("5.1.1", "an empty ping without FIN", [CaseFrame(9, fin: false)]),
            .failing("5.2", "a pong without FIN", [CaseFrame(10, [0x61], fin: false)]),
            .failing("5.2.1", "a close without FIN", [CaseFrame(8, [3, 232], fin: false)]),
            .failing("5.2.2", "a ping without FIN between fragments", [one, CaseFrame(9, fin: false)]),
            .failing("5.2.3", "a pong without FIN between fragments", [one, CaseFrame(10, fin: false)]),
            Self("5.3", "two fragments", [one, three], messages: [.text("one3")]),
            Self("5.4", "three fragments", [one, two, three], messages: [both]),
            Self(
                "5.5",
                "two binary fragments",
                [.binary([1], fin: false), CaseFrame(0, [2])],
                messages: [.binary([1, 2])]
            ),
            Self("5.6", "a ping between fragments", [one, ping, three], messages: [.text("one3")], pongs: [pong]),
            Self("5.7", "a pong between fragments", [one, .pong("x"), three], messages: [.text("one3")]),
            Self(
                "5.8",
                "pings before, between and after fragments",
                [ping, one, ping, two, ping, three, ping],
                messages: [both],
                pongs: [pong, pong, pong, pong]
            ),
            Self(
                "5.8.1",
                "empty fragments",
                [.text("", fin: false), .rest("", fin: false), .rest("")],
                messages: [.text("")]
            ),
            Self("5.8.2", "an empty last fragment", [one, .rest("")], messages: [.text("one")]),
            Self("5.8.3", "an empty first fragment", [.text("", fin: false), three], messages: [.text("3")]),
            Self(
                "5.8.4",
                "two fragmented messages",
                [one, three, .binary([9], fin: false), CaseFrame(0, [8])],
                messages: [.text("one3"), .binary([9, 8])]
            ),
            Self(
                "5.8.5",
                "binary fragments that are not UTF-8",
                [.binary([0xFF], fin: false), CaseFrame(0, [0xC0])],
                messages: [.binary([0xFF, 0xC0])]
            ),
            .failing("5.9", "a continuation of nothing", [.rest("a")]),
            .failing("5.10", "an empty continuation of nothing", [.rest("")]),
            .failing("5.11", "a continuation of nothing without FIN", [.rest("a", fin: false)]),
            .failing("5.12", "a continuation after a message", [.text("a"), .rest("b")], messages: [.text("a")]),
            .failing(
                "5.13",
                "a continuation after a message, without FIN",
                [.text("a"), .rest("b", fin: false)],
                messages: [.text("a")]
            ),
            .failing(
                "5.14",
                "a continuation after a binary message",
                [.binary([1]), .rest("b")],
                messages: [.binary([1])]
            ),
            .failing(
                "5.15",
                "a continuation after a fragmented message",
                [one, three, two],
                messages: [.text("one3")]
            ),
            .failing("5.16", "a continuation after a ping", [ping, two], pongs: [pong]),
            .failing("5.17", "a continuation after a pong", [.pong(), three]),
            .failing("5.18", "text between text fragments", [one, .text("b")]),
            .failing("5.18.1", "a first fragment between text fragments", [one, one]),
            .failing("5.18.2", "binary between text fragments", [one, .binary([1])]),
            .failing("5.18.3", "text between binary fragments", [.binary([1], fin: false), .text("b")]),
            .failing("5.18.4", "text after an empty first fragment", [.text("", fin: false), .text("b")]),
            .failing("5.18.5", "text after two fragments", [one, two, .text("b")]),
        ]
        for count in [5, 40] {
            let parts = (1..<count - 1).flatMap { _ in [CaseFrame.rest("x", fin: false), ping] }
            cases.append(
                Self(
                    count == 5 ? "5.19" : "5.20",
                    "\(count) fragments, pings between them",
                    [one] + parts + [three],
                    messages: [.text("one" + String(repeating: "x", count: count - 2) + "3")],
                    pongs: (1..<count - 1).map { _ in pong }
                )
            )
        }
        return cases
    }()

    /// 9: limits.
    static func limits(_ limits: CaseLimits) -> [Self] {
        let (size, count) = (limits.messageBytes, limits.messageFragments)
        let most = [UInt8](repeating: 0x61, count: size)
        let half = Array(most.prefix(size / 2))
        let text = String(decoding: most, as: UTF8.self)
        let parts = [CaseFrame.binary([1], fin: false)] + (2..<count).map { _ in CaseFrame(0, [1], fin: false) }
        let declared = CaseFrame(2).with { $0.length = .declared(UInt64(size) + 1) }
        return [
            Self("9.1.1", "the longest text", [.text(text)], messages: [.text(text)]),
            Self("9.1.2", "the longest binary message", [.binary(most)], messages: [.binary(most)]),
            Self(
                "9.1.3",
                "the longest message, in two fragments",
                [.binary(half, fin: false), CaseFrame(0, half)],
                messages: [.binary(half + half)]
            ),
            .failing("9.2.1", "a text that is one byte too long", [.text(text + "a")], 1009),
            .failing("9.2.2", "a binary message that is one byte too long", [.binary(most + [1])], 1009),
            .failing(
                "9.2.3",
                "fragments that are one byte too long",
                [.binary(most, fin: false), CaseFrame(0, [1])],
                1009
            ),
            .failing(
                "9.2.4",
                "fragments that are too long before the last",
                [.text(text, fin: false), .rest("a", fin: false)],
                1009
            ),
            .failing("9.2.5", "the header of a message that is too long", [declared], 1009),
            .failing(
                "9.2.6",
                "the header of a message of 2^63 - 1 bytes",
                [declared.with { $0.length = .declared(1 << 63 - 1) }],
                1009
            ),
            .failing(
                "9.2.7",
                "the header of a fragment that is too long",
                [.text("a", fin: false), declared.with { $0.opcode = 0 }],
                1009
            ),
            .failing("9.2.8", "the header of a ping that is too long", [declared.with { $0.opcode = 9 }]),
            Self(
                "9.3.1",
                "the most fragments",
                parts + [CaseFrame(0, [1])],
                messages: [.binary([UInt8](repeating: 1, count: count))]
            ),
            .failing(
                "9.4.1",
                "one fragment too many",
                parts + [CaseFrame(0, [1], fin: false), CaseFrame(0, [1])],
                1009
            ),
        ]
    }

    /// 7: the close handshake.
    static let closing: [Self] = {
        let text = CaseFrame.text("late")
        let (normal, first) = (CaseFrame.close(1000), CaseFrame.text("a", fin: false))
        let body = String(repeating: "*", count: 60_000)
        var cases: [Self] = [
            Self("7.1.1", "a message, then close", [.text("a"), normal], messages: [.text("a")], close: .reply(1000)),
            Self("7.1.2", "close twice", [normal, normal], close: .reply(1000)),
            Self("7.1.3", "a ping after close", [normal, .ping("late")], close: .reply(1000)),
            Self(
                "7.1.3.1",
                "a ping after a message and close",
                [.text("a"), normal, .ping("late")],
                messages: [.text("a")],
                close: .reply(1000)
            ),
            Self("7.1.4", "text after close", [normal, text], close: .reply(1000)),
            Self(
                "7.1.4.1",
                "text after a message and close",
                [.text("a"), normal, text],
                messages: [.text("a")],
                close: .reply(1000)
            ),
            Self("7.1.4.2", "a reserved opcode after close", [normal, CaseFrame(3)], close: .reply(1000)),
            Self(
                "7.1.4.3",
                "a reserved opcode after a message and close",
                [.text("a"), normal, CaseFrame(3)],
                messages: [.text("a")],
                close: .reply(1000)
            ),
            Self(
                "7.1.4.4",
                "another code after a message and close",
                [.text("a"), normal, .close(4000)],
                messages: [.text("a")],
                close: .reply(1000)
            ),
            Self("7.1.5", "close between fragments", [first, normal, .rest("b")], close: .reply(1000)),
            Self(
                "7.1.6",
                "a long message, then close and a ping",
                [.text(body), normal, .ping("late")],
                messages: [.text(body)],
                close: .reply(1000)
            ),
            Self("7.3.1", "an empty close", [CaseFrame(8)], close: .reply(nil)),
            .failing("7.3.2", "a close of one byte", [CaseFrame(8, [3])]),
            .failing("7.3.2.1", "a close of one byte between fragments", [first, CaseFrame(8, [3])]),
            Self("7.3.3", "a code without a reason", [normal], close: .reply(1000)),
            Self("7.3.4", "a reason", [.close(1000, Array("bye".utf8))], close: .reply(1000)),
            Self("7.3.4.1", "a reason in Greek", [.close(1000, Array("κόσμε".utf8))], close: .reply(1000)),
            Self(
                "7.3.5",
                "a reason of 123 bytes",
                [.close(1000, .init(repeating: 0x2A, count: 123))],
                close: .reply(1000)
            ),
            .failing("7.3.6", "a reason of 124 bytes", [.close(1000, .init(repeating: 0x2A, count: 124))]),
            .failing("7.3.7", "a code that is invalid, with a reason that is not UTF-8", [.close(1005, [0xFF])]),
        ]
        for (index, sequence) in invalidSequences.enumerated() {
            cases.append(
                .failing(
                    "7.5.\(index + 1)",
                    "a reason that is not UTF-8: \(sequence.name)",
                    [.close(1000, sequence.bytes)],
                    1007
                )
            )
        }
        let valid: [UInt16] = [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4401, 4999,
        ]
        let invalid: [UInt16] = [
            0, 1, 100, 999, 1004, 1005, 1006, 1015, 1016, 1100, 1999, 2000, 2999, 5000, 9999, 32_768, 65_535,
        ]
        for (index, code) in valid.enumerated() {
            cases.append(Self("7.7.\(index + 1)", "code \(code)", [.close(code)], close: .reply(code)))
        }
        for (index, code) in invalid.enumerated() {
            cases.append(.failing("7.9.\(index + 1)", "code \(code)", [.close(code)]))
            cases.append(.failing("7.10.\(index + 1)", "code \(code) with a reason", [.close(code, [0x61])]))
        }
        return cases
    }()
}
