// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOSSL

/// A server's certificate that a client did not accept.
package struct CertificateRefusal: Sendable, CustomStringConvertible {
    private enum Cause {
        case untrusted
        case otherName
        /// The certificates of the trusted authorities cannot be read.
        case unreadableAuthorities(String)
    }

    private let server: String
    private let cause: Cause

    /// Returns `nil` for any other error.
    init?(_ error: any Error, _ url: URL?, authorities: TrustedAuthorities?) {
        guard url?.scheme?.lowercased() == "https" else { return nil }
        // The client reports an unreadable file in several ways.
        let fault = authorities?.fault
        switch error {
        case _ where fault != nil: cause = .unreadableAuthorities(fault ?? "")
        case NIOSSLError.handshakeFailed(let reason) where "\(reason)".contains("CERTIFICATE_VERIFY_FAILED"):
            cause = .untrusted
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: cause = .otherName
        default: return nil
        }
        let host = url?.host(percentEncoded: false) ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        server = "https://\(name)" + (url?.port.map { ":\($0)" } ?? "")
    }

    /// Whether the client's configuration is wrong, and not the server's certificate.
    package var isMisconfiguration: Bool {
        if case .unreadableAuthorities = cause { true } else { false }
    }

    package var description: String {
        switch cause {
        case .untrusted:
            "\(server): the certificate is not trusted; --cacert or SSL_CERT_FILE can name a file with the authorities to trust"
        case .otherName: "\(server): the certificate is that of another host name"
        case .unreadableAuthorities(let fault): fault
        }
    }
}
