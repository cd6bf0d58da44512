// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A storage location for several sessions, each with its own name.
///
/// ``SessionDirectory`` stores its accounts in one.
public protocol SessionStores: Sendable {
    /// A description of the storage location. Must not contain secrets.
    var name: String { get }

    /// Returns the names with a stored record, in order.
    ///
    /// - Throws: ``SessionStoreError`` if the names cannot be read now; the error never means that there are none.
    func names() throws(SessionStoreError) -> [String]

    /// Returns the store of a name, whether or not it has a record.
    func store(named name: String) -> any SessionStore
}
