// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why an issuer's response is of no use.
package enum IssuerFetchError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The address is neither HTTPS nor on this machine.
    case unsafeAddress
    case timeout
    /// Another status than 200; redirects are not followed.
    case status(Int)

    package var description: String {
        switch self {
        case .unsafeAddress: "the address is neither HTTPS nor on this machine"
        case .timeout: "the response took too long"
        case .status(let status): "status \(status)"
        }
    }
}
