// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An error of the TLS certificate that prevents the server from starting.
enum HTTPStartupError: StartupError, Equatable {
    case unreadableCertificate(String)

    var cause: StartupErrorCause {
        .storage
    }

    var setting: String? { "tls-certificate" }

    var description: String {
        switch self {
        case .unreadableCertificate(let path): "\(path): no certificate chain and key in PEM that belong together"
        }
    }
}
