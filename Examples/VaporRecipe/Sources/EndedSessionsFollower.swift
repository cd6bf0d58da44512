// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetVerification
import Vapor

/// Polls the server's feed of ended sessions from the application's start to its shutdown.
actor EndedSessionsFollower: LifecycleHandler {
    private let verifier: TokenVerifier
    private var task: Task<Void, Never>?

    init(_ verifier: TokenVerifier) { self.verifier = verifier }

    func didBootAsync(_ application: Application) async throws {
        let logger = application.logger
        task = Task { [verifier] in
            await verifier.followEndedSessions { error in logger.warning("Cannot fetch the ended sessions: \(error)") }
        }
    }

    func shutdownAsync(_ application: Application) async { task?.cancel() }
}
