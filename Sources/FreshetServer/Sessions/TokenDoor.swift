// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// Where a refresh token is presented.
///
/// How it rotates is a matter of its session alone; the door only decides whose sessions may come in. A session before
/// the wrong door is neither touched nor pronounced dead.
enum TokenDoor: Equatable, Sendable {
    /// `/v1/refresh`.
    case native
    /// `/oauth/token`.
    case oauth
    /// A dialect's own path, by the name of its contract.
    case dialect(String)

    func admits(_ row: SessionRow, hasIntent: Bool) -> Bool {
        switch self {
        // An app that moves over to the native contract brings its sessions along: the first intent binds them to it.
        case .native: row.dialect == nil || (hasIntent && row.rotation.mode != .static)
        // Libraries keep what is sent to them, so a token that never changes would be theirs for good.
        case .oauth: row.rotation.mode != .static
        case .dialect(let name): row.dialect == name
        }
    }
}
