// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetHTTP
package import FreshetIdentity

/// The services of a server that the operators' pages show and act on.
package struct OperatorPagesParts: Sendable {
    var database: any ServerDatabase
    var clock: ServerClock
    var sessions: SessionRegistry
    var audit: AuditTrail
    var cleanup: CleanupService
    var metricsRecorder: MetricsRecorder
    var keyReloader: KeyReloader
    /// The interval of key rotation; `nil` if keys are not rotated by the server.
    var keyRotation: Duration?
    var sockets: SocketHub

    package init(
        database: any ServerDatabase,
        clock: ServerClock,
        sessions: SessionRegistry,
        audit: AuditTrail,
        cleanup: CleanupService,
        metricsRecorder: MetricsRecorder,
        keyReloader: KeyReloader,
        keyRotation: Duration?,
        sockets: SocketHub
    ) {
        self.database = database
        self.clock = clock
        self.sessions = sessions
        self.audit = audit
        self.cleanup = cleanup
        self.metricsRecorder = metricsRecorder
        self.keyReloader = keyReloader
        self.keyRotation = keyRotation
        self.sockets = sockets
    }
}
