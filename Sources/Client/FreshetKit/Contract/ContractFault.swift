// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A violation of the contract.
///
/// Contains no secrets.
struct ContractFault: Error, Equatable, Sendable {
    var message: String

    init(_ message: String) { self.message = message }
}
