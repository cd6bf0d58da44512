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
        case unreadableAuthorities
    }

    private let server: String
    private let cause: Cause

    /// Returns `nil` for any other error.
    init?(_ error: any Error, _ url: URL?, authorities: String?) {
        guard url?.scheme?.lowercased() == "https" else { return nil }
        switch error {
        // The client reports an unreadable file in several ways.
        case _ where authorities.map { (try? NIOSSLCertificate.fromPEMFile($0))?.isEmpty ?? true } ?? false:
            cause = .unreadableAuthorities
        case NIOSSLError.handshakeFailed(let reason) where "\(reason)".contains("CERTIFICATE_VERIFY_FAILED"):
            cause = .untrusted
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: cause = .otherName
        default: return nil
        }
        let host = url?.host(percentEncoded: false) ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        server = "https://\(name)" + (url?.port.map { ":\($0)" } ?? "")
    }

    package var description: String {
        switch cause {
        case .untrusted:
            "\(server): the certificate is not trusted; SSL_CERT_FILE can name a file with the authorities to trust"
        case .otherName: "\(server): the certificate is that of another host name"
        case .unreadableAuthorities: "\(server): the file that SSL_CERT_FILE names has no certificates in PEM"
        }
    }
}
