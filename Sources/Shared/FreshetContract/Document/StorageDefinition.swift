// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The places in which older versions of the app stored tokens.
package struct StorageDefinition: Sendable, Equatable {
    /// Whether the session may be synchronised between a user's devices.
    ///
    /// It must not be with rotation, because each device would invalidate the refresh tokens of the others.
    package var synchronizable = false
    /// The imports in order; the first that exists is used.
    package var imports: [Import] = []

    /// The items of an older version of the app.
    package struct Import: Sendable, Equatable {
        package var access: Place
        package var refresh: Place?
        package var expiresAt: Place?
        package var expiryUnit = ExpirySource.Unit.iso8601
        package var synchronizable = false

        package init(access: Place) { self.access = access }

        package var places: [Place] { [access, refresh, expiresAt].compactMap(\.self) }
    }

    /// The place of one value.
    package struct Place: Sendable, Hashable {
        package indirect enum Item: Sendable, Hashable {
            case named(String)
            /// An item whose name is stored at another place, such as the ID of the current token.
            case namedBy(Place)
        }

        package var item: Item
        /// The keychain service; `nil` for the one that the app passes.
        package var service: String?
        /// The pointer into the item's JSON; `nil` uses the whole text of the item.
        package var pointer: JSONPointer?

        package init(item: Item, service: String? = nil, pointer: JSONPointer? = nil) {
            self.item = item
            self.service = service
            self.pointer = pointer
        }
    }
}
