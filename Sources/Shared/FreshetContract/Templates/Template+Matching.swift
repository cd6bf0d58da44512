// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension Template {
    /// Returns the values with which the template produces `text`, if there are any.
    ///
    /// A server uses it to parse the requests of clients of the same contract. ASCII letters of literal text are
    /// compared ignoring case. A value is never empty, and ends at the first occurrence of the literal text after it;
    /// two adjacent values cannot be separated, and a repeated name must have the same value.
    package func values(in text: String) -> [String: String]? {
        var found: [String: String] = [:]
        var rest = Array(text.utf8)[...]
        for (index, part) in parts.enumerated() {
            switch part {
            case .text(let plain):
                guard Self.begins(rest, with: Array(plain.utf8)) else { return nil }
                rest = rest.dropFirst(plain.utf8.count)
            case .value(let name):
                guard let end = end(ofValue: index, in: rest), end > rest.startIndex,
                    let value = String(utf8: rest[..<end]), found[name] ?? value == value
                else { return nil }
                found[name] = value
                rest = rest[end...]
            }
        }
        return rest.isEmpty ? found : nil
    }

    private func end(ofValue index: Int, in rest: ArraySlice<UInt8>) -> Int? {
        guard index + 1 < parts.count else { return rest.endIndex }
        guard case .text(let plain) = parts[index + 1] else { return nil }
        let next = Array(plain.utf8)
        // The last literal text must match the end of the text, even if it also occurs earlier.
        if index + 2 == parts.count {
            let start = rest.endIndex - next.count
            return start > rest.startIndex && Self.begins(rest[start...], with: next) ? start : nil
        }
        return rest.indices.dropFirst().first { Self.begins(rest[$0...], with: next) }
    }

    private static func begins(_ text: ArraySlice<UInt8>, with start: [UInt8]) -> Bool {
        text.count >= start.count && zip(text, start).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
