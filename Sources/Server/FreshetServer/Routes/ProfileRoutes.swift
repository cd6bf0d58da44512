// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints of the signed-in user's profile.
struct ProfileRoutes: Sendable {
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.profile) { request, _ in
            let claims = try bearer.claims(of: request)
            guard let profile = try await sessions.database.read({ try UserTable.profile(of: claims.user, in: $0) })
            else { throw APIError(.notFound, "the user has no profile") }
            return .json(profile)
        }
        table.on(.put, NativePath.profile) { request, _ in
            let claims = try bearer.claims(of: request)
            let profile = try await request.json(Profile.self, limit: bodyLimit)
            return .json(try await sessions.setProfile(profile, by: claims))
        }
        table.on(.delete, NativePath.profile) { request, _ in
            try await sessions.deleteProfile(by: bearer.claims(of: request))
            return .noContent
        }
    }
}
