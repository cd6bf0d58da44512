// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetSystem

/// An error of the TLS certificate that prevents the server from starting.
package enum HTTPStartupError: StartupError, Equatable {
    case unreadableCertificate(String)

    package var cause: StartupErrorCause {
        .storage
    }

    package var setting: String? { "tls-certificate" }

    package var description: String {
        switch self {
        case .unreadableCertificate(let path): "\(path): no certificate chain in PEM, or its key is not with it"
        }
    }
}
