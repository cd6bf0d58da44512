// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Finds one text in a JSON document without reading the rest of it.
package enum JSONText {
    /// Returns the bytes of the text that a name has, at any depth; texts with escapes are returned as they are written.
    package static func value(of name: StaticString, in json: UnsafeRawBufferPointer) -> [UInt8]? {
        let count = name.utf8CodeUnitCount
        var index = 0
        while index + count + 2 < json.count {
            defer { index += 1 }
            guard json[index] == quote, json[index + count + 1] == quote else { continue }
            var matched = 0
            while matched < count, json[index + 1 + matched] == name.utf8Start[matched] { matched += 1 }
            guard matched == count else { continue }
            var start = index + count + 2
            while start < json.count, json[start] == 32 || json[start] == colon { start += 1 }
            guard start < json.count, json[start] == quote else { return nil }
            start += 1
            guard let end = json[start...].firstIndex(of: quote) else { return nil }
            return Array(json[start..<end])
        }
        return nil
    }

    private static let quote = UInt8(ascii: "\"")
    private static let colon = UInt8(ascii: ":")
}
