// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import FreshetPages

extension ServerConfiguration {
    /// The transport by which requests reach the pages.
    var pageTransport: PageTransport {
        PageTransport(issuer: issuer, hasTLS: operations.tls != nil || operations.isBehindProxy)
    }
}

extension ServerParts {
    /// The components that the operator pages show and use.
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
