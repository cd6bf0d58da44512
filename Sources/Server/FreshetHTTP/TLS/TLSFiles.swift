// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A certificate chain and its key, as files in PEM.
package struct TLSFiles: Equatable, Sendable {
    var certificate: URL
    var key: URL

    package init(certificate: URL, key: URL) {
        self.certificate = certificate
        self.key = key
    }
}
