// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase

@testable import FreshetIdentity

extension SessionRegistry {
    /// Returns a registry of the same server with another database or cache, and without what this one knows of tokens.
    func using(_ other: (any ServerDatabase)? = nil, ended cache: RevokedSessionCache? = nil) -> SessionRegistry {
        SessionRegistry(
            database: other ?? database,
            policy: policy,
            live: live,
            lifetimes: lifetimes,
            ended: cache ?? ended,
            events: events,
            notices: notices,
            limits: limits,
            log: log,
            clock: clock
        )
    }
}
