// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reason for which an issuer's response cannot be used.
package enum IssuerFetchError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The URL is neither HTTPS nor on this machine.
    case unsafeAddress
    case timeout
    /// A status other than 200; redirects are not followed.
    case status(Int)

    package var description: String {
        switch self {
        case .unsafeAddress: "the address is neither HTTPS nor on this machine"
        case .timeout: "the response took too long"
        case .status(let status): "status \(status)"
        }
    }
}
