// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The reason that an issuer's response cannot be used.
    @nonexhaustive
    public enum IssuerFetchError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The URL is neither HTTPS nor on this machine.
        case unsafeAddress
        /// The response took longer than the timeout of the request.
        case timeout
        /// A status other than 200; redirects are not followed.
        case status(Int)

        /// The error as a phrase, without the URL.
        public var description: String {
            switch self {
            case .unsafeAddress: "the address is neither HTTPS nor on this machine"
            case .timeout: "the response took too long"
            case .status(let status): "status \(status)"
            }
        }
    }
#endif
