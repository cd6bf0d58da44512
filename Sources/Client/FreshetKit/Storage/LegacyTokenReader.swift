// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// Reads values from items, and records which items were read.
struct LegacyTokenReader<Items: LegacyTokenSource> {
    let items: Items
    let isSynchronizable: Bool
    /// The items that were read.
    ///
    /// An item that names another one comes after it, so that an interrupted removal in this order can be restarted.
    private(set) var read: [LegacyItem] = []
    /// Whether any of them has a text.
    private(set) var hasText = false

    init(items: Items, isSynchronizable: Bool) {
        self.items = items
        self.isSynchronizable = isSynchronizable
    }

    /// Reads the value at a place; `nil` if there is no such item, or it has no such value.
    mutating func value(_ place: StorageDefinition.Place) throws(SessionStoreError) -> JSONValue? {
        let key: String
        switch place.item {
        case .named(let name): key = name
        case .namedBy(let other):
            guard let name = try value(other)?.text, !name.isEmpty else { return nil }
            key = name
        }
        let item = LegacyItem(key, service: place.service, isSynchronizable: isSynchronizable)
        guard let text = try items.text(of: item) else { return nil }
        if !read.contains(item) { read.insert(item, at: 0) }
        if !text.isEmpty { hasText = true }
        guard let pointer = place.pointer else { return .string(text) }
        return (try? JSONParser.parse(text.utf8)).flatMap { pointer.value(in: $0) }
    }
}

extension LegacyItem {
    /// Returns the items that imports name directly, whether or not they exist.
    static func named(in imports: [StorageDefinition.Import]) -> [LegacyItem] {
        imports.flatMap { places in
            places.places.compactMap { place in
                guard case .named(let key) = place.item else { return nil }
                return LegacyItem(key, service: place.service, isSynchronizable: places.synchronizable)
            }
        }
    }
}
