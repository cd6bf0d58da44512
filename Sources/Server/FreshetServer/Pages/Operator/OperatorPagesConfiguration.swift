// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What is decided about the pages for operators.
package struct OperatorPagesConfiguration: Sendable {
    /// Where `/operator` is answered; `nil` for nowhere.
    package var listen: ListenAddress?

    package init() {}

    /// Refuses an address where browsers would send the password in the clear, and keep no cookie.
    func validate(_ operations: OperationsConfiguration) throws(StartupError) {
        guard let listen, !listen.isLoopback, operations.tls == nil, !operations.isBehindProxy else { return }
        throw .insecureOperatorPages(listen.host)
    }
}
