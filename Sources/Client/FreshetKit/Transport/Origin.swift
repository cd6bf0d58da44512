// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A scheme, host and port: the unit by which access to the token is granted.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    /// Parses a URL; `nil` unless it is an absolute http or https URL without a user.
    ///
    /// A port outside TCP's range is rejected, too: transports trap on such a port, or connect to the port modulo
    /// 65,536.
    package init?(_ url: URL?) {
        guard let url = url?.absoluteURL, let scheme = url.scheme?.lowercased(),
            let host = url.host?.lowercased(), !host.isEmpty, url.user == nil,
            let standard = Self.standardPort(of: scheme), (1...65_535).contains(url.port ?? standard)
        else { return nil }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? standard
    }

    private static func standardPort(of scheme: String) -> Int? {
        switch scheme {
        case "https": 443
        case "http": 80
        default: nil
        }
    }

    /// Parses `host`, `host:port` or a complete origin; `scheme` is the default.
    init?(_ text: String, scheme: String) {
        self.init(URL(string: text.contains("://") ? text : "\(scheme)://\(text)"))
    }

    /// Whether the host is the loopback interface, on which no network attacker can listen.
    var isLoopback: Bool {
        let isIPv4 = host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || isIPv4
    }

    var isEncrypted: Bool { scheme == "https" }

    package var description: String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
