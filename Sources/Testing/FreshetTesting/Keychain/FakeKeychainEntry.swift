// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

/// A call to a ``FakeKeychain``, without its data.
public struct FakeKeychainEntry: Sendable, Equatable {
    /// The function that was called.
    public var call: FakeKeychain.Call
    /// The `OSStatus` that it returned.
    public var status: Int32
    /// The names of the attributes that were passed.
    package var attributes: Set<KeychainAttribute>
}
