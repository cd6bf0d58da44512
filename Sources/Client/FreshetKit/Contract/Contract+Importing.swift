// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension Contract {
    /// Returns this contract with locations of an older version's tokens.
    ///
    /// They are read before those that the contract names.
    ///
    ///     .supabase.importing(LegacyTokenLocation(access: "access_token", refresh: "refresh_token"))
    ///
    /// It adds to `storage.imports` of the contract. ``AuthSession/importSession(from:)`` uses the first location that
    /// has an access token. A location is ignored if its access token's item has an empty name.
    public func importing(_ locations: LegacyTokenLocation...) -> Contract {
        let added = locations.compactMap(StorageDefinition.Import.init)
        var document = document
        var root = json.object ?? JSONObject()
        var storage = root["storage"]?.object ?? JSONObject()
        document.storage.imports = added + document.storage.imports
        storage["imports"] = .array(added.map(\.json) + (storage["imports"]?.array ?? []))
        root["storage"] = .object(storage)
        return Contract(document, .object(root))
    }
}

extension StorageDefinition.Import {
    fileprivate init?(_ location: LegacyTokenLocation) {
        guard let access = StorageDefinition.Place(location.access) else { return nil }
        self.init(access: access)
        refresh = location.refresh.flatMap(StorageDefinition.Place.init)
        synchronizable = location.isSynchronizable
        switch location.expiresAt {
        case .iso8601(let place): setExpiry(place, .iso8601)
        case .seconds(let place): setExpiry(place, .seconds)
        case .milliseconds(let place): setExpiry(place, .milliseconds)
        case nil: break
        }
    }

    private mutating func setExpiry(_ place: LegacyTokenLocation.Place, _ unit: ExpirySource.Unit) {
        guard let place = StorageDefinition.Place(place) else { return }
        (expiresAt, expiryUnit) = (place, unit)
    }

    fileprivate var json: JSONValue {
        var members = JSONObject()
        members["access"] = .object(access.json)
        members["refresh"] = refresh.map { .object($0.json) }
        if var expiry = expiresAt?.json {
            expiry["unit"] = .string(expiryUnit.rawValue)
            members["expiresAt"] = .object(expiry)
        }
        if synchronizable { members["synchronizable"] = .bool(true) }
        return .object(members)
    }
}

extension StorageDefinition.Place {
    /// Fails without a name, as a contract file does.
    fileprivate init?(_ place: LegacyTokenLocation.Place) {
        guard !place.item.isEmpty else { return nil }
        let pointer = place.path.isEmpty ? nil : JSONPointer(tokens: place.path)
        self.init(
            item: .named(place.item),
            service: place.service?.isEmpty == true ? nil : place.service,
            pointer: pointer
        )
    }

    fileprivate var json: JSONObject {
        var members = JSONObject()
        if case .named(let name) = item { members["item"] = .string(name) }
        members["service"] = service.map { .string($0) }
        members["at"] = pointer.map { .string($0.description) }
        return members
    }
}
