// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The four calls of the keychain, shaped like the system's: attributes in, a status and items out.
///
/// `system` uses the real keychain on Apple's systems; `FakeKeychain` in FreshetTesting works on any system.
package struct KeychainCalls: Sendable {
    package typealias Attributes = [KeychainAttribute: KeychainValue]

    /// Adds an item with the attributes.
    package var add: @Sendable (_ attributes: Attributes) -> KeychainStatus
    /// Returns the items that match the query.
    package var copyMatching: @Sendable (_ query: Attributes) -> (KeychainStatus, [Attributes])
    /// Changes some attributes of every item that matches the query, and keeps the others.
    package var update: @Sendable (_ query: Attributes, _ changes: Attributes) -> KeychainStatus
    /// Deletes every item that matches the query.
    package var delete: @Sendable (_ query: Attributes) -> KeychainStatus

    package init(
        add: @escaping @Sendable (Attributes) -> KeychainStatus,
        copyMatching: @escaping @Sendable (Attributes) -> (KeychainStatus, [Attributes]),
        update: @escaping @Sendable (Attributes, Attributes) -> KeychainStatus,
        delete: @escaping @Sendable (Attributes) -> KeychainStatus
    ) {
        self.add = add
        self.copyMatching = copyMatching
        self.update = update
        self.delete = delete
    }
}
