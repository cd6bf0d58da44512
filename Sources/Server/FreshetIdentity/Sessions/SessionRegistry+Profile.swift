// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
package import FreshetEngine
package import FreshetWire

extension SessionRegistry {
    /// Creates or changes the profile of a signed-in user; an omitted name is kept.
    ///
    /// - Returns: The profile after the change.
    /// - Throws: `invalidRequest` for a name that is too long or has control characters, and the errors of
    ///   ``authorized(_:_:_:)``.
    package func setProfile(_ profile: Profile, by claims: AccessClaims) async throws -> Profile {
        let checked = Profile(username: try profile.username?.checkedName(), name: try profile.name?.checkedName())
        let now = clock()
        return try await authorized(.accessToken(claims)) { session, database in
            try UserTable.setProfile(checked, at: now, by: session.authority, in: database)
            return try UserTable.profile(of: session.account.id, in: database) ?? checked
        }
    }

    /// Deletes the profile of a signed-in user, if there is one.
    package func deleteProfile(by claims: AccessClaims) async throws {
        try await authorized(.accessToken(claims)) { session, database in
            try UserTable.deleteProfile(by: session.authority, in: database)
        }
    }
}

extension String {
    /// The maximum length of a name of a profile, in UTF-8 bytes.
    private static let longestName = 200

    /// Returns the name of a person without surrounding white space.
    ///
    /// - Throws: `invalidRequest` if it is empty, too long, or has control characters.
    func checkedName() throws(APIError) -> String {
        let name = trimmingCharacters(in: .whitespacesAndNewlines)
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !name.isEmpty, name.utf8.count <= Self.longestName, !hasControls else {
            throw APIError(.invalidRequest, "a name has 1 to \(Self.longestName) bytes and no control characters")
        }
        return name
    }
}
