// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Something that is not as the contract says.
///
/// It holds no secret.
struct ContractFault: Error, Equatable, Sendable {
    var message: String

    init(_ message: String) { self.message = message }
}
