// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// A mail server, and how it is talked to.
package struct SMTPServer: Equatable, Sendable, Masked {
    /// How the connection is kept from being read.
    package enum Security: String, Equatable, Sendable, CaseIterable {
        /// TLS from the start (`smtps://`, RFC 8314).
        case implicit
        /// STARTTLS, or no mail (RFC 3207).
        case required
        /// None: for a server on this machine.
        case none
    }

    package var host: String
    package var port: Int
    package var security: Security
    package var user: String?
    package var password: String?
    /// A file with the authorities that may vouch for the server (PEM); else the system's.
    package var authorities: String?
    package var connectTimeout = Duration.seconds(10)
    package var totalTimeout = Duration.seconds(30)

    /// Reads `smtp://host:port` or `smtps://host:port`.
    ///
    /// Without a port it is 587 or 465 (RFC 8314). STARTTLS is required unless the host is this machine.
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

    package var mask: String { "SMTPServer(\(host):\(port), \(security.rawValue))" }

    /// The form that libcurl takes; the path is the name that we greet with.
    package func url(greeting name: String) -> String {
        "\(security == .implicit ? "smtps" : "smtp")://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(name)"
    }

    package func validate() throws(MailConfigurationError) {
        if (user == nil) != (password == nil) {
            throw MailConfigurationError("mail needs both, a user and a password, or none")
        }
        if user != nil, security == .none, !Self.isHere(host) {
            throw MailConfigurationError("\(host): a password is not sent to another machine without TLS")
        }
        if let authorities, !FileManager.default.isReadableFile(atPath: authorities) {
            throw MailConfigurationError("\(authorities): cannot be read")
        }
    }

    /// Whether a name or address is this machine whatever a name server says.
    private static func isHere(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }
}
