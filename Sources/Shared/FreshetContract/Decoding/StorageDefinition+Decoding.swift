// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension StorageDefinition {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["synchronizable", "imports"]) else { return nil }
        self.init()
        synchronizable = fields["synchronizable"]?.bool() ?? false
        imports = fields["imports"]?.items()?.compactMap(Import.init) ?? []
    }
}

extension StorageDefinition.Import {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["access", "refresh", "expiresAt", "synchronizable"]) else { return nil }
        let access = fields.required("access").flatMap { StorageDefinition.Place($0) }
        refresh = fields["refresh"].flatMap { StorageDefinition.Place($0) }
        synchronizable = fields["synchronizable"]?.bool() ?? false
        if let expiry = fields["expiresAt"]?.fields(StorageDefinition.Place.keys + ["unit"]) {
            expiresAt = StorageDefinition.Place(expiry)
            expiryUnit = expiry.required("unit")?.unit([.iso8601, .seconds, .milliseconds]) ?? .iso8601
        }
        guard let access else { return nil }
        self.access = access
    }
}

extension StorageDefinition.Place {
    static let keys = ["item", "itemNamedBy", "service", "at"]

    /// Decodes the name of an item, or an object.
    init?(_ cursor: DecodingCursor) {
        if cursor.value.object != nil {
            guard let fields = cursor.fields(Self.keys) else { return nil }
            self.init(fields)
        } else {
            guard let name = cursor.text() else { return nil }
            self.init(item: .named(name))
        }
    }

    init?(_ fields: DecodingFields) {
        let item: Item?
        switch fields.only(of: ["item", "itemNamedBy"]) {
        case ("item", let cursor)?: item = cursor.text().map(Item.named)
        case (_, let cursor)?: item = StorageDefinition.Place(cursor).map(Item.namedBy)
        case nil:
            fields.cursor.diagnose("One of 'item' and 'itemNamedBy' must say which item it is.")
            item = nil
        }
        service = fields["service"]?.text()
        pointer = fields["at"]?.pointer()
        guard let item else { return nil }
        self.item = item
    }
}
