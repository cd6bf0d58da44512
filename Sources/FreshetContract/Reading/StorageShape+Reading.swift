// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension StorageShape {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["synchronizable", "imports"]) else { return nil }
        self.init()
        synchronizable = fields["synchronizable"]?.bool() ?? false
        imports = fields["imports"]?.items()?.compactMap(Import.init) ?? []
    }
}

extension StorageShape.Import {
    init?(_ spot: Spot) {
        guard let fields = spot.fields(["access", "refresh", "expiresAt", "synchronizable"]) else { return nil }
        let access = fields.required("access").flatMap { StorageShape.Place($0) }
        refresh = fields["refresh"].flatMap { StorageShape.Place($0) }
        synchronizable = fields["synchronizable"]?.bool() ?? false
        if let expiry = fields["expiresAt"]?.fields(StorageShape.Place.keys + ["unit"]) {
            expiresAt = StorageShape.Place(expiry)
            expiryUnit = expiry.required("unit")?.unit([.iso8601, .seconds, .milliseconds]) ?? .iso8601
        }
        guard let access else { return nil }
        self.access = access
    }
}

extension StorageShape.Place {
    static let keys = ["item", "itemNamedBy", "service", "at"]

    /// The name of an item, or an object.
    init?(_ spot: Spot) {
        if spot.value.object != nil {
            guard let fields = spot.fields(Self.keys) else { return nil }
            self.init(fields)
        } else {
            guard let name = spot.text() else { return nil }
            self.init(item: .named(name))
        }
    }

    init?(_ fields: Fields) {
        let item: Item?
        switch fields.only(of: ["item", "itemNamedBy"]) {
        case ("item", let spot)?: item = spot.text().map(Item.named)
        case (_, let spot)?: item = StorageShape.Place(spot).map(Item.namedBy)
        case nil:
            fields.spot.mistake("One of 'item' and 'itemNamedBy' says which item it is.")
            item = nil
        }
        service = fields["service"]?.text()
        pointer = fields["at"]?.pointer()
        guard let item else { return nil }
        self.item = item
    }
}
