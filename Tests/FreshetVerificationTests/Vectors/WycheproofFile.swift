// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import Testing

/// A file of test vectors of Project Wycheproof (C2SP/wycheproof, `testvectors_v1`).
struct WycheproofFile {
    /// Cases that share a key or another parameter.
    struct Group {
        let fields: JSONObject
        let cases: [Case]
    }

    struct Case {
        let id: Int
        let comment: String
        /// The file's verdict: `valid`, `invalid` or `acceptable`.
        let result: String
        let fields: JSONObject

        init(_ fields: JSONObject) throws {
            guard case .number(let id)? = fields["tcId"] else { throw WycheproofFile.Fault(description: "no tcId") }
            self.id = try #require(id.int)
            comment = fields["comment"]?.string ?? ""
            result = try #require(fields["result"]?.string)
            self.fields = fields
        }

        /// Returns the bytes of a hexadecimal member.
        func bytes(_ name: String) throws -> [UInt8] {
            try WycheproofFile.bytes(hexadecimal: try #require(fields[name]?.string))
        }
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    let groups: [Group]

    /// Reads a file of the vectors' folder.
    init(_ name: String) throws { try self.init(bytes: try VectorFolder.bytes("wycheproof/\(name)")) }

    init(bytes: [UInt8]) throws {
        let object = try #require(try JSONParser.parse(bytes).object)
        groups = try #require(object["testGroups"]?.array).map { value in
            let fields = try #require(value.object)
            let cases = try #require(fields["tests"]?.array)
            return Group(fields: fields, cases: try cases.map { try Case(try #require($0.object)) })
        }
        let count = groups.reduce(0) { $0 + $1.cases.count }
        guard case .number(let number)? = object["numberOfTests"], number.int == count, count > 0 else {
            throw Fault(description: "\(count) cases are not the number of tests that the file states")
        }
    }

    static func bytes(hexadecimal text: String) throws -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { throw Fault(description: "an odd number of digits") }
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
        }
    }
}
