// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Characters of private use that delimit the places of mutants in a rewritten source until their ranges are known.
enum Markers {
    private static let opening: Unicode.Scalar = "\u{E000}"
    private static let separator: Unicode.Scalar = "\u{E001}"
    private static let closing: Unicode.Scalar = "\u{E002}"

    static func mark(_ text: String, site: Int) -> String { "\(opening)\(site)\(separator)\(text)\(closing)" }

    /// Removes the markers, and returns the UTF-8 range of each place.
    static func strip(_ text: String) -> (String, [Int: Range<Int>]) {
        var (result, offset) = (String.UnicodeScalarView(), 0)
        var (ranges, stack): ([Int: Range<Int>], [(site: Int, start: Int)]) = ([:], [])
        var digits: String?
        for scalar in text.unicodeScalars {
            switch scalar {
            case opening: digits = ""
            case separator:
                stack.append((Int(digits ?? "") ?? 0, offset))
                digits = nil
            case closing: if let last = stack.popLast() { ranges[last.site] = last.start..<offset }
            default:
                if digits != nil {
                    digits?.unicodeScalars.append(scalar)
                } else {
                    result.append(scalar)
                    offset += UTF8.width(scalar)
                }
            }
        }
        return (String(result), ranges)
    }
}
