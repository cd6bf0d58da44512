// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A place where several sessions rest, each under a name of its own.
///
/// ``SessionDirectory`` keeps many accounts in one.
public protocol SessionStores: Sendable {
    /// Says where the records lie, without a secret.
    var name: String { get }

    /// The names under which a record rests, in order.
    ///
    /// - Throws: ``SessionStoreError`` if that cannot be told now, which never means that there are none.
    func names() throws(SessionStoreError) -> [String]

    /// The store under a name, whether or not something rests there.
    func store(named name: String) -> any SessionStore
}
