// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire

/// A device in a session's row, as a JSON array without names.
///
/// An array takes half the space of an object, and every refresh reads it. Earlier rows contain the object that clients
/// send; they are not changed.
enum StoredDevice {
    /// The fields, in the order of the array.
    private static let fields: [(name: String, path: any WritableKeyPath<Device, String?> & Sendable)] = [
        ("name", \.name), ("platform", \.platform), ("model", \.model), ("app", \.app), ("app_version", \.appVersion),
    ]

    /// Returns the SQL expression of a field, by its name in the protocol's messages.
    static func column(_ name: String) -> String {
        let place = fields.firstIndex { $0.name == name } ?? fields.count
        return "coalesce(device ->> \(place), device ->> '\(name)')"
    }

    static func text(of device: Device) -> String {
        let values = fields.map { device[keyPath: $0.path].map(JSONValue.string) ?? .null }
        let used = values.lastIndex { $0 != .null }.map { $0 + 1 } ?? 0
        return JSONValue.array(Array(values.prefix(used))).jsonText
    }

    /// Decodes a row's text.
    ///
    /// - Throws: `SQLError` if it is neither an array nor an object.
    static func device(_ text: String) throws -> Device {
        try plain(text) ?? general(text)
    }

    static func general(_ text: String) throws -> Device {
        var device = Device()
        switch try? JSONParser.parse(text.utf8) {
        case .array(let values):
            for (field, value) in zip(fields, values) { device[keyPath: field.path] = value.string }
        case .object(let object):
            for field in fields { device[keyPath: field.path] = object[field.name]?.string }
        default: throw SessionTable.damaged
        }
        return device
    }

    /// Decodes an array whose strings have no escapes, as in nearly every row; `nil` for other JSON.
    static func plain(_ text: String) -> Device? {
        var values: [String?] = []
        var rest = text.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "[") else { return nil }
        if rest.first == UInt8(ascii: "]") { return rest.count == 1 ? Device() : nil }
        while true {
            var value: String?
            if rest.starts(with: "null".utf8) {
                rest = rest.dropFirst(4)
            } else {
                guard rest.popFirst() == UInt8(ascii: "\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else {
                    return nil
                }
                value = String(Substring(rest[..<end]))
                // An escape may hide a quotation mark, and a control character is not valid JSON.
                guard !rest[..<end].contains(where: { $0 == UInt8(ascii: "\\") || $0 < 0x20 }) else { return nil }
                rest = rest[end...].dropFirst()
            }
            values.append(value)
            guard values.count <= fields.count else { return nil }
            let mark = rest.popFirst()
            if mark == UInt8(ascii: "]") { break }
            guard mark == UInt8(ascii: ",") else { return nil }
        }
        guard rest.isEmpty else { return nil }
        func value(_ place: Int) -> String? { place < values.count ? values[place] : nil }
        return Device(name: value(0), platform: value(1), model: value(2), app: value(3), appVersion: value(4))
    }
}
