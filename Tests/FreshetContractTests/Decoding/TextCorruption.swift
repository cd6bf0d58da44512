// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

@testable import FreshetContract

/// Ways in which a text goes wrong on its way, or at the hands of somebody who means it.
enum TextCorruption: CaseIterable {
    case flip, truncate, duplicate, splice, number, nest, token, bytes

    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "null", "true", "-", "1e", "\"a\":1,", "\u{0}",
        "\u{FEFF}",
        "$", "${", "/", "~", "header:", "cookie:", "4xx", "\u{301}",
    ]

    private static let numbers = [
        "1e999", "-1e999", "0.\(String(repeating: "9", count: 400))", "99999999999999999999", "-0", "1e-999",
        "9223372036854775808", "-9223372036854775809", "1e308", "4e2",
    ]

    /// Changes a text in place.
    func apply(to text: inout [UInt8], _ random: inout SplitMix64) {
        let place = random.below(text.count)
        switch self {
        case .flip:
            for _ in 0...random.below(3) where !text.isEmpty {
                text[random.below(text.count)] ^= 1 << UInt8(random.below(8))
            }
        case .truncate: text.removeSubrange(place...)
        case .duplicate: text.insert(contentsOf: Self.piece(of: text, &random), at: place)
        case .splice:
            text.replaceSubrange(place..<min(place + random.below(20), text.count), with: Self.piece(of: text, &random))
        case .number: Self.replaceNumber(in: &text, with: Self.numbers[random.below(Self.numbers.count)], &random)
        case .nest:
            let opening = String(
                repeating: ["[", "{\"a\":"][random.below(2)],
                count: [3, 63, 64, 65, 500][random.below(5)]
            )
            text.insert(contentsOf: Array(opening.utf8), at: place)
        case .token: text.insert(contentsOf: Array(Self.tokens[random.below(Self.tokens.count)].utf8), at: place)
        case .bytes: text.insert(contentsOf: (0...random.below(4)).map { _ in UInt8(random.below(256)) }, at: place)
        }
    }

    private static func piece(of text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let start = random.below(text.count)
        return Array(text[start..<min(start + random.below(60), text.count)])
    }

    private static func replaceNumber(in text: inout [UInt8], with number: String, _ random: inout SplitMix64) {
        let digits = text.indices.filter { (0x30...0x39).contains(text[$0]) }
        guard !digits.isEmpty else { return }
        let place = digits[random.below(digits.count)]
        text.replaceSubrange(place...place, with: Array(number.utf8))
    }
}
