// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetHTTP

/// The settings of the pages for operators.
package struct OperatorPagesConfiguration: Sendable {
    /// The address that serves `/operator`; `nil` to serve it nowhere.
    package var listen: ListenAddress?

    package init() {}

    /// Rejects an address at which browsers would send the password unencrypted and store no cookie.
    package func validate(hasTLS: Bool) throws(PagesStartupError) {
        guard let listen, !listen.isLoopback, !hasTLS else { return }
        throw .insecureOperatorPages(listen.host)
    }
}
