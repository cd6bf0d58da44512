// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A JSON object as nearly every client sends it: a few members, each a string of printable ASCII without escapes.
///
/// Such a text means the same to every JSON reader, and reading it costs a tenth of what a general decoder does. Every
/// other text is left to the general decoder, which decodes it or reports what is wrong with it.
package struct FlatJSON: Sendable, Masked {
    /// More members than this are not looked at.
    private static let most = 8

    private struct Member: Sendable {
        var name: String
        var value: String
    }

    private var members: [Member] = []

    package var mask: String { "FlatJSON(\(members.map(\.name)))" }

    /// Reads an object.
    ///
    /// - Returns: `nil` for anything that is not as simple, a name that is a duplicate among it.
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

        /// A string without escapes, in characters that are one byte each.
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

/// A body that may come as a ``FlatJSON``.
package protocol FlatDecodable: Decodable {
    /// Takes the members that it knows.
    ///
    /// - Returns: `nil` if one is missing that must be there.
    init?(_ json: FlatJSON)
}

extension RefreshRequest: FlatDecodable {
    package init?(_ json: FlatJSON) {
        guard let refreshToken = json["refresh_token"] else { return nil }
        self.init(refreshToken: refreshToken, intent: json["intent"])
    }
}

extension PresentedToken: FlatDecodable {
    package init?(_ json: FlatJSON) {
        guard let refreshToken = json["refresh_token"] else { return nil }
        self.init(refreshToken: refreshToken)
    }
}
