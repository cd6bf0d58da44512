// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where older versions of the app kept their tokens.
package struct StorageDefinition: Sendable, Equatable {
    /// Whether the session may travel between a user's devices.
    ///
    /// A refresh token that rotates must not: each device would make the others' copies void.
    package var synchronizable = false
    /// In order: the first that is there is taken over.
    package var imports: [Import] = []

    /// Items of an older version of the app.
    package struct Import: Sendable, Equatable {
        package var access: Place
        package var refresh: Place?
        package var expiresAt: Place?
        package var expiryUnit = ExpirySource.Unit.iso8601
        package var synchronizable = false

        package var places: [Place] { [access, refresh, expiresAt].compactMap(\.self) }
    }

    /// Where one value lies.
    package struct Place: Sendable, Hashable {
        package indirect enum Item: Sendable, Hashable {
            case named(String)
            /// The text at another place names it, such as the id of the token that is in use.
            case namedBy(Place)
        }

        package var item: Item
        /// `nil` leaves it to the app.
        package var service: String?
        /// Where in the item's JSON; `nil` takes the item's text as it is.
        package var pointer: JSONPointer?
    }
}
