// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase

@testable import FreshetIdentity

extension SessionRegistry {
    /// Returns a registry of the same server with another database, and without what this one knows of tokens.
    func using(_ database: any ServerDatabase) -> SessionRegistry {
        SessionRegistry(
            database: database,
            policy: policy,
            live: live,
            lifetimes: lifetimes,
            ended: ended,
            events: events,
            notices: notices,
            limits: limits,
            log: log,
            clock: clock
        )
    }
}
