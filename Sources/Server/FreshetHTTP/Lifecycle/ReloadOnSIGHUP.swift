// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetIdentity
package import Logging
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reloads keys and certificate on SIGHUP.
///
/// On a terminal the signal means that the terminal was closed, and terminates the server as it does by default.
package struct ReloadOnSIGHUP: Service {
    let keys: KeyReloader
    let certificate: TLSCertificate?
    let log: Logger

    package init(keys: KeyReloader, certificate: TLSCertificate?, log: Logger) {
        self.keys = keys
        self.certificate = certificate
        self.log = log
    }

    func run() async throws {
        guard isatty(STDIN_FILENO) == 0 else {
            try await gracefulShutdown()
            return
        }
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            certificate?.reloadIfChanged(force: true)
            await keys.reloadInBackground(isForced: true)
            // Logged after the reload, because the sender of the signal gets no other response.
            log.notice("SIGHUP: keys and certificate were looked at again")
        }
    }
}
