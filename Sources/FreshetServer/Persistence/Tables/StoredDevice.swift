// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire

/// A device as a session's row keeps it: a JSON list without names, which takes half the place of an object and is read at
/// every refresh.
///
/// Earlier rows have the object that clients send; they stay as they are.
enum StoredDevice {
    /// The places in the list.
    private static let fields: [(name: String, path: any WritableKeyPath<Device, String?> & Sendable)] = [
        ("name", \.name), ("platform", \.platform), ("model", \.model), ("app", \.app), ("app_version", \.appVersion),
    ]

    /// How SQL finds one of them, by its name in the messages.
    static func column(_ name: String) -> String {
        let place = fields.firstIndex { $0.name == name } ?? fields.count
        return "coalesce(device ->> \(place), device ->> '\(name)')"
    }

    static func text(of device: Device) -> String {
        let values = fields.map { device[keyPath: $0.path].map(JSONValue.string) ?? .null }
        let used = values.lastIndex { $0 != .null }.map { $0 + 1 } ?? 0
        return JSONValue.array(Array(values.prefix(used))).jsonText
    }

    /// Reads a row's text.
    ///
    /// - Throws: `SQLError` if it is neither a list nor an object.
    static func device(_ text: String) throws -> Device {
        var device = Device()
        switch try? JSONReader.read(text.utf8) {
        case .array(let values):
            for (field, value) in zip(fields, values) { device[keyPath: field.path] = value.string }
        case .object(let object):
            for field in fields { device[keyPath: field.path] = object[field.name]?.string }
        default: throw SessionTable.damaged
        }
        return device
    }
}
