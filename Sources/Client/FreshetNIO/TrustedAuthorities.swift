// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOSSL

/// A file with the certificates of the authorities to trust instead of the system's, in PEM.
package struct TrustedAuthorities: Sendable, Equatable {
    package let file: String
    /// The option or variable that names the file.
    package let source: String

    package init(file: String, source: String) {
        self.file = file
        self.source = source
    }

    /// The file that `SSL_CERT_FILE` names, which OpenSSL reads as well; `nil` if the variable is missing or empty.
    package static var inEnvironment: TrustedAuthorities? {
        guard let file = ProcessInfo.processInfo.environment["SSL_CERT_FILE"], !file.isEmpty else { return nil }
        return TrustedAuthorities(file: file, source: "SSL_CERT_FILE")
    }

    /// Why the file cannot be used, as a sentence with its source; `nil` if it can.
    package var fault: String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
            return "\(source): \(file): there is no such file"
        }
        if isDirectory.boolValue { return "\(source): \(file): is a folder, not a file" }
        guard FileManager.default.isReadableFile(atPath: file) else { return "\(source): \(file): cannot be read" }
        let certificates = try? NIOSSLCertificate.fromPEMFile(file)
        return certificates?.isEmpty ?? true ? "\(source): \(file): has no certificates in PEM" : nil
    }
}
