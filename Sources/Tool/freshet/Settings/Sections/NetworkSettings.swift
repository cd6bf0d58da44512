// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetServer

/// The listening addresses, TLS, and the proxies in front of the server.
struct NetworkSettings: SettingsSection {
    static let title = "Network"

    var certificate: URL?
    var key: URL?

    static let settings: [Setting] = [
        Setting(
            "host",
            "The address to listen on",
            details: "An address beyond loopback needs TLS, `behind-proxy` or `insecure-listen`.",
            \.server.host,
            .text("address")
        ),
        Setting("port", "The TCP port to listen on; 0 lets the system choose", \.server.port, .number(in: 0...65_535)),
        Setting(
            "tls-certificate",
            "A file with the certificate chain in PEM",
            details:
                "Certificate and key are read again within two seconds of a change: a renewal needs no restart and no signal.",
            \.network.certificate,
            .file
        ),
        Setting("tls-key", "A file with the private key of the certificate in PEM", \.network.key, .file),
        Setting(
            "behind-proxy",
            "Every request comes through a proxy that terminates TLS; needs trusted-proxy",
            details:
                "The per-address limits of connections and refreshes are off; those of sign-in use the client's address.",
            \.server.operations.isBehindProxy,
            .flag
        ),
        Setting(
            "trusted-proxy",
            "An address or range, such as 10.0.0.0/8, of a proxy whose X-Forwarded-For is trusted",
            see: "Behind a proxy",
            \.server.signIn.trustedProxies,
            .list(
                "address[/bits]",
                parse: { text throws(SettingError) in
                    guard let range = AddressRange(text) else {
                        throw SettingError(text, "is not an IP address or range such as 10.0.0.0/8")
                    }
                    return range
                },
                text: { "\($0)" }
            )
        ),
        Setting(
            "trust-request-id",
            "Takes the request id from X-Request-Id; only behind a proxy that sets it",
            details: "An id has 1 to 64 letters, digits, dots, hyphens or underscores.",
            \.server.operations.trustsRequestID,
            .flag
        ),
        Setting(
            "insecure-listen",
            "Listens without TLS beyond loopback: tokens cross the network in plain text",
            \.server.operations.allowsInsecureListening,
            .flag
        ),
    ]

    func tlsFiles(_ reader: SettingsReader) throws(ToolError) -> TLSFiles? {
        switch (certificate, key) {
        case (let certificate?, let key?): TLSFiles(certificate: certificate, key: key)
        case (nil, nil): nil
        case (_?, nil): throw .usage("\(reader.label("tls-certificate")) needs tls-key, too")
        case (nil, _?): throw .usage("\(reader.label("tls-key")) needs tls-certificate, too")
        }
    }
}
