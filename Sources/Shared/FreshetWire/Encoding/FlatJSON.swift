// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A JSON object in the form that nearly every client sends: a few members, each a string of printable ASCII without
/// escapes.
///
/// All JSON parsers interpret such a text in the same way, and parsing it takes a tenth of the time of a general
/// decoder. Any other text is passed to the general decoder, which decodes it or reports the error.
package struct FlatJSON: Sendable, Masked {
    /// The maximum number of members.
    private static let most = 8

    private struct Member: Sendable {
        var name: String
        var value: String
    }

    private var members: [Member] = []

    package var mask: String { "FlatJSON(\(members.map(\.name)))" }

    /// Reads an object.
    ///
    /// - Returns: `nil` for any other text, including one with a duplicate name.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = Reader(bytes: bytes)
        reader.skipSpace()
        guard reader.take(UInt8(ascii: "{")) else { return nil }
        repeat {
            reader.skipSpace()
            guard members.count < Self.most, let name = reader.string(), self[name] == nil else { return nil }
            reader.skipSpace()
            guard reader.take(UInt8(ascii: ":")) else { return nil }
            reader.skipSpace()
            guard let value = reader.string() else { return nil }
            members.append(Member(name: name, value: value))
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        guard reader.take(UInt8(ascii: "}")) else { return nil }
        reader.skipSpace()
        guard reader.isAtEnd else { return nil }
    }

    /// The member of a name, if there is one.
    package subscript(name: String) -> String? { members.first { $0.name == name }?.value }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func skipSpace() {
            while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        }

        mutating func take(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }

        /// Parses a string without escapes, in characters of one byte each.
        mutating func string() -> String? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                guard (0x20...0x7E).contains(bytes[index]), bytes[index] != UInt8(ascii: "\\") else { return nil }
                index += 1
            }
            guard index < bytes.count else { return nil }
            defer { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
    }
}

/// A body that can be decoded from a ``FlatJSON``.
package protocol FlatDecodable: Decodable {
    /// Decodes the known members.
    ///
    /// - Returns: `nil` if a required member is missing.
    init?(_ json: FlatJSON)
}
