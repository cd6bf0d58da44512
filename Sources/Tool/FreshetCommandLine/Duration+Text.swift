// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

extension Duration {
    /// Parses a whole number and a unit: `500ms`, `3s`, `10m`, `12h`, `30d`.
    package init?(text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number <= 100_000_000 else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        case "m": self = .seconds(number * 60)
        case "h": self = .seconds(number * 3600)
        case "d": self = .seconds(number * 86_400)
        default: return nil
        }
    }

    /// Parses the duration in an option.
    package static func length(_ text: String) throws -> Duration {
        guard let length = Duration(text: text) else {
            throw ValidationError("\(text) is not a duration such as 0s, 500ms or 2m")
        }
        return length
    }

    /// Parses the timeout in an option, which must be greater than zero.
    package static func timeout(_ text: String) throws -> Duration {
        guard let length = Duration(text: text), length > .zero else {
            throw ValidationError("\(text) is not a duration such as 500ms, 10s or 2m")
        }
        return length
    }
}
