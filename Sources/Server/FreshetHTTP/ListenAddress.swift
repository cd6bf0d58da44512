// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An address to listen on; a port without a host is on loopback.
package struct ListenAddress: Equatable, Sendable {
    package var host = "127.0.0.1"
    package var port: Int

    init(port: Int) {
        self.port = port
    }

    /// Reads `9464`, `0.0.0.0:9464` or `[::1]:9464`.
    package init?(_ text: String) {
        guard let colon = text.unicodeScalars.lastIndex(of: ":") else {
            guard let port = Int(text), (0...65_535).contains(port) else { return nil }
            self.init(port: port)
            return
        }
        guard let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port) else { return nil }
        self.init(port: port)
        var name = text[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty else { return nil }
        host = String(name)
    }

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool { Self.isLoopback(host) }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
            || host.lowercased().hasPrefix("::ffff:127.")
    }
}
