// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetKit

/// A call that a ``FakeKeychain`` got: never what it carried.
public struct FakeKeychainEntry: Sendable, Equatable {
    /// Which call.
    public var call: FakeKeychain.Call
    /// What it answered, an `OSStatus`.
    public var status: Int32
    /// The attributes that it named.
    package var attributes: Set<KeychainAttribute>
}
