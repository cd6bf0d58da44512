// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// A status that a call returns instead of its result.
struct FakeKeychainFault {
    var call: FakeKeychain.Call
    var status: KeychainStatus
    /// The number of calls that still fail; `nil` for no limit.
    var remaining: Int?
    var takesEffect: Bool
}
