// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The four calls of the keychain, in the shape that the system's have: attributes in, a status and items out.
///
/// `system` makes the real ones on Apple's systems; `FakeKeychain` in FreshetTesting answers them anywhere.
package struct KeychainCalls: Sendable {
    package typealias Attributes = [KeychainAttribute: KeychainValue]

    /// Makes an item of the attributes.
    package var add: @Sendable (_ attributes: Attributes) -> KeychainStatus
    /// Finds the items that have the attributes of the query.
    package var copyMatching: @Sendable (_ query: Attributes) -> (KeychainStatus, [Attributes])
    /// Changes some attributes of every item that the query finds, and leaves the others.
    package var update: @Sendable (_ query: Attributes, _ changes: Attributes) -> KeychainStatus
    /// Deletes every item that the query finds.
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
