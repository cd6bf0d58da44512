// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import FreshetPages

extension ServerConfiguration {
    /// How requests reach the pages.
    var pageTransport: PageTransport {
        PageTransport(issuer: issuer, hasTLS: operations.tls != nil || operations.isBehindProxy)
    }
}

extension ServerParts {
    /// The parts that the operators' pages show and act on.
    var operatorPages: OperatorPagesParts {
        OperatorPagesParts(
            database: database,
            clock: clock,
            sessions: sessions,
            audit: audit,
            cleanup: cleanup,
            metricsRecorder: metricsRecorder,
            keyReloader: keyReloader,
            keyRotation: configuration.keys.rotation,
            sockets: sockets
        )
    }
}
