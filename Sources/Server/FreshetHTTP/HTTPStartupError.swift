// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An error of the TLS certificate that prevents the server from starting.
enum HTTPStartupError: StartupError, Equatable {
    /// The certificate and the key do not match, or are not PEM.
    case unreadableCertificate(String)
    /// A file cannot be read: the setting that names it, its path and the system's message.
    case unreadableFile(setting: String, path: String, reason: String)

    var cause: StartupErrorCause {
        .storage
    }

    var setting: String? {
        switch self {
        case .unreadableCertificate: "tls-certificate"
        case .unreadableFile(let setting, _, _): setting
        }
    }

    var description: String {
        switch self {
        case .unreadableCertificate(let path): "\(path): no certificate chain and key in PEM that belong together"
        case .unreadableFile(_, let path, let reason): "\(path): cannot be read (\(reason))"
        }
    }
}
