// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import Testing

@testable import FreshetJWT

/// JSONTestSuite (nst/JSONTestSuite, `test_parsing`) against every reader of ours that takes a whole text.
@Suite(.timeLimit(.minutes(1)), .enabled(if: VectorFolder.isPresent, VectorFolder.absence))
struct `JSONTestSuite's texts` {
    private static let folder = "json/test_parsing"

    private static func texts(_ prefix: String) throws -> [(name: String, bytes: [UInt8])] {
        try VectorFolder.names(in: folder).filter { $0.hasPrefix(prefix) }.map {
            ($0, try VectorFolder.bytes("\(folder)/\($0)"))
        }
    }

    /// Parses a server's response or another unsigned text.
    private static func parse(_ bytes: [UInt8]) -> JSONValue? { try? JSONParser.parse(bytes) }

    /// Parses a signed text.
    private static func parseStrictly(_ bytes: [UInt8]) -> JSONValue? { try? JSONParser.parseStrictly(bytes) }

    /// Whether a contract file's error, if any, is another than that the file is not JSON.
    private static func isJSON(contract bytes: [UInt8]) -> Bool {
        do throws(ContractDecodingError) {
            _ = try ContractDocument(reading: bytes)
            return true
        } catch {
            return !error.diagnostics.contains { $0.sentence.hasPrefix("This is not JSON") }
        }
    }

    private static func flat(_ bytes: [UInt8]) -> FlatJSON? { bytes.withUnsafeBytes { FlatJSON($0) } }

    @Test func `JSONTestSuite has 95 valid, 188 invalid and 35 undefined texts`() throws {
        let names = try VectorFolder.names(in: Self.folder)
        let counts = ["y_", "n_", "i_"].map { prefix in names.count { $0.hasPrefix(prefix) } }
        #expect(counts == [95, 188, 35] && names.count == counts.reduce(0, +))
    }

    @Test func `valid JSON is accepted, but for duplicate names, and unchanged when it is written again`() throws {
        var refused: Set<String> = []
        for (name, bytes) in try Self.texts("y_") {
            let value = Self.parse(bytes)
            #expect(Self.parseStrictly(bytes) == value, "\(name)")
            #expect(Self.isJSON(contract: bytes) == (value != nil), "\(name)")
            #expect(CompactJWS.object(bytes) == value?.object, "\(name)")
            guard let value else {
                refused.insert(name)
                continue
            }
            #expect(Self.parseStrictly(Array(value.jsonText.utf8)) == value, "\(name)")
        }
        #expect(refused == Set(JSONExceptions.refusedValid.keys))
    }

    @Test func `invalid JSON is refused by every parser`() throws {
        for (name, bytes) in try Self.texts("n_") {
            #expect(Self.parse(bytes) == nil, "\(name)")
            #expect(Self.parseStrictly(bytes) == nil, "\(name)")
            #expect(!Self.isJSON(contract: bytes), "\(name)")
            #expect(CompactJWS.object(bytes) == nil, "\(name)")
            #expect(Self.flat(bytes) == nil, "\(name)")
        }
    }

    @Test func `JSON that RFC 8259 leaves undefined is accepted or refused as decided`() throws {
        var choices: [String: JSONExceptions.Choice] = [:]
        for (name, bytes) in try Self.texts("i_") {
            let value = Self.parse(bytes), signed = Self.parseStrictly(bytes)
            choices[name] = signed != nil ? .accepted : value != nil ? .acceptedUnlessSigned : .refused
            #expect(signed == nil || signed == value, "\(name)")
            #expect(Self.isJSON(contract: bytes) == (value != nil), "\(name)")
            #expect(CompactJWS.object(bytes) == signed?.object, "\(name)")
            #expect(Self.flat(bytes) == nil, "\(name)")
        }
        var decided: [String: JSONExceptions.Choice] = [:]
        for (names, choice, _) in JSONExceptions.choices { for name in names { decided[name] = choice } }
        #expect(choices == decided)
    }

    @Test func `the parser of flat objects reads the same members as the general parser`() throws {
        var read: [String] = []
        for (name, bytes) in try Self.texts("") {
            guard let flat = Self.flat(bytes) else { continue }
            read.append(name)
            for member in try #require(Self.parseStrictly(bytes)?.object).members {
                #expect(member.value == flat[member.name].map { JSONValue.string($0) }, "\(name)")
            }
        }
        #expect(read == JSONExceptions.flat)
    }
}
