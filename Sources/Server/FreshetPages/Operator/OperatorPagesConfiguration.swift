// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetHTTP

/// What is decided about the pages for operators.
package struct OperatorPagesConfiguration: Sendable {
    /// Where `/operator` is answered; `nil` for nowhere.
    package var listen: ListenAddress?

    package init() {}

    /// Refuses an address where browsers would send the password in the clear, and keep no cookie.
    package func validate(hasTLS: Bool) throws(PagesStartupError) {
        guard let listen, !listen.isLoopback, !hasTLS else { return }
        throw .insecureOperatorPages(listen.host)
    }
}
