// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetNIO

/// The option that names the certificate authorities to trust.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate authorities to trust instead of the system's (default: SSL_CERT_FILE).",
            valueName: "file"
        ),
        completion: .file()
    )
    var cacert: String?

    /// The absolute path of the file.
    var path: String? { cacert.map { URL(filePath: $0).standardizedFileURL.path } }

    func validate() throws {
        guard let path, let fault = TrustedAuthorities(file: path, source: "--cacert").fault else { return }
        throw ValidationError(fault)
    }

    /// Trusts the authorities in all requests of this process.
    func apply() {
        if let path { NIOTransport.trust(TrustedAuthorities(file: path, source: "--cacert")) }
    }
}
