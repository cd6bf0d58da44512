// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// The result of comparing a database with the one that a folder of keys was used with.
///
/// The database has a random identity, and the folder stores a copy of it, so a lost database is distinguished from a
/// new one.
package enum DatabaseIdentityCheck: Equatable, Sendable {
    /// The identities agree, or only the database has an identity, which the folder adopts.
    case known(Bits128)
    /// The database has no identity and gets one.
    ///
    /// Either it and the folder are new, or it was created before identities existed.
    case unnamed(Bits128?)
    /// The database is empty, and the folder's keys were used with a database that was not empty.
    case lost
    /// The database is not the one that the folder was used with.
    case foreign

    /// Compares the identities.
    ///
    /// - Parameters:
    ///   - identity: The identity stored in the database; `nil` if it has none.
    ///   - marker: The identity stored in the key folder; `nil` if it has none.
    ///   - isEmpty: Whether the database has neither accounts nor sessions.
    ///   - allowsNew: Whether the operator has allowed another database.
    package init(identity: Bits128?, marker: Bits128?, isEmpty: Bool, allowsNew: Bool) {
        switch (identity, marker) {
        case (let identity?, let marker?): self = identity == marker || allowsNew ? .known(identity) : .foreign
        case (let identity?, nil): self = .known(identity)
        case (nil, nil): self = .unnamed(nil)
        case (nil, let marker?):
            if allowsNew { self = .unnamed(nil) } else { self = isEmpty ? .lost : .unnamed(marker) }
        }
    }
}
