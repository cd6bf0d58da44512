// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// What a call answers instead of the truth.
struct FakeKeychainFault {
    var call: FakeKeychain.Call
    var status: KeychainStatus
    /// `nil` stands for no end.
    var remaining: Int?
    var takesEffect: Bool
}
