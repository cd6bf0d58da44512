// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// The address and the connection settings of an SMTP server.
package struct SMTPServer: Equatable, Sendable, Masked {
    /// The encryption of the connection.
    package enum Security: String, Equatable, Sendable, CaseIterable {
        /// TLS from the start (`smtps://`, RFC 8314).
        case implicit
        /// STARTTLS, without which no mail is sent (RFC 3207).
        case required
        /// No encryption: for a server on this machine.
        case none
    }

    package var host: String
    package var port: Int
    package var security: Security
    package var user: String?
    package var password: String?
    /// A PEM file with the certificate authorities of the server; the system's by default.
    package var authorities: String?
    var connectTimeout = Duration.seconds(10)
    var totalTimeout = Duration.seconds(30)

    /// Parses `smtp://host:port` or `smtps://host:port`.
    ///
    /// The default port is 587 or 465 (RFC 8314). STARTTLS is required unless the host is this machine.
    package init?(url text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
            url.user == nil, url.password == nil, url.path.isEmpty || url.path == "/", url.query == nil,
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        switch url.scheme {
        case "smtp":
            security = Self.isHere(self.host) ? .none : .required
            port = url.port ?? 587
        case "smtps":
            security = .implicit
            port = url.port ?? 465
        default: return nil
        }
    }

    var mask: String { "SMTPServer(\(host):\(port), \(security.rawValue))" }

    /// Returns the URL in libcurl's form, with the name for EHLO as its path.
    func url(greeting name: String) -> String {
        "\(security == .implicit ? "smtps" : "smtp")://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(name)"
    }

    func validate() throws(MailConfigurationError) {
        if (user == nil) != (password == nil) {
            throw MailConfigurationError("mail needs either both mail-user and mail-password, or neither")
        }
        if user != nil, security == .none, !Self.isHere(host) {
            throw MailConfigurationError("\(host): a password is not sent to another machine without TLS")
        }
        if let authorities, !FileManager.default.isReadableFile(atPath: authorities) {
            throw MailConfigurationError("\(authorities): cannot be read")
        }
    }

    /// Whether a name or address is this machine, independently of DNS.
    private static func isHere(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }
}
