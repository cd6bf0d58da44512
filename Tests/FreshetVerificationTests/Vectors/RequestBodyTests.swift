// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// JSONTestSuite against Foundation's decoder, which reads the request bodies that `FlatJSON` leaves to it.
@Suite(.timeLimit(.minutes(1)), .enabled(if: VectorFolder.isPresent, VectorFolder.absence))
struct `JSONTestSuite's texts as request bodies` {
    /// A value of any type, read to its end.
    private struct AnyValue: Decodable {
        private struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if var items = try? decoder.unkeyedContainer() {
                while !items.isAtEnd { _ = try items.decode(AnyValue.self) }
            } else if let object = try? decoder.container(keyedBy: Name.self) {
                for key in object.allKeys { _ = try object.decode(AnyValue.self, forKey: key) }
            } else {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() || (try? value.decode(Bool.self)) != nil { return }
                if (try? value.decode(String.self)) == nil { _ = try value.decode(Double.self) }
            }
        }
    }

    @Test func `Foundation's decoder differs from JSONTestSuite in the named cases only`() throws {
        var differences: Set<String> = []
        for name in try VectorFolder.names(in: "json/test_parsing") {
            let bytes = try VectorFolder.bytes("json/test_parsing/\(name)")
            let isAccepted = (try? JSONDecoder().decode(AnyValue.self, from: Data(bytes))) != nil
            if isAccepted != name.hasPrefix("y_") { differences.insert(name) }
        }
        #expect(differences == Set(JSONExceptions.foundation.keys))
    }
}
