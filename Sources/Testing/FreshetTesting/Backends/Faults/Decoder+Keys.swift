// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Decoder {
    /// Rejects unknown keys, so that a misspelt key is not ignored.
    package func refuseKeys(except known: [any CodingKey]) throws {
        let names = known.map(\.stringValue)
        let container = try container(keyedBy: AnyKey.self)
        guard let stranger = container.allKeys.first(where: { !names.contains($0.stringValue) }) else { return }
        throw DecodingError.dataCorruptedError(
            forKey: stranger,
            in: container,
            debugDescription:
                "\"\(stranger.stringValue)\" means nothing here; the keys are \(names.sorted().joined(separator: ", "))"
        )
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
