// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The position of a request in a distributed trace (W3C Trace Context, `traceparent`).
package struct TraceParent: Equatable, Sendable, CustomStringConvertible {
    let traceID: String
    let spanID: String
    let flags: String

    /// Parses a header's value; `nil` if it is malformed in any way (section 3.2.2).
    package init?(_ text: String) {
        let parts = text.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, text.utf8.count <= 256, Self.isHex(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            Self.isHex(parts[1], 32), parts[1].contains(where: { $0 != "0" }),
            Self.isHex(parts[2], 16), parts[2].contains(where: { $0 != "0" }), Self.isHex(parts[3], 2)
        else { return nil }
        (traceID, spanID, flags) = (parts[1], parts[2], parts[3])
    }

    private init(traceID: String, spanID: String, flags: String) {
        (self.traceID, self.spanID, self.flags) = (traceID, spanID, flags)
    }

    /// Returns a new span of this server in the same trace.
    package func child() -> TraceParent {
        let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        let span = String(repeating: "0", count: 16 - digits.count) + digits
        return TraceParent(traceID: traceID, spanID: span, flags: flags)
    }

    package var description: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func isHex(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
