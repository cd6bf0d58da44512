// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
import FreshetWire

extension Me {
    /// The response of `GET /v1/me`.
    ///
    /// - Throws: `invalidToken` if the account was deleted.
    package init(_ claims: AccessClaims, _ user: User?) throws(APIError) {
        guard let user else { throw APIError(.invalidToken, "the account was deleted") }
        self.init(
            user: UserInfo(id: SessionID(user.id).description, email: user.email?.text),
            sessionID: claims.session
        )
    }
}

extension SessionSummary {
    /// Creates the listing's entry for a session.
    package init(_ row: SessionRow, isCurrent: Bool) {
        self.init(
            id: row.id,
            current: isCurrent,
            device: row.device,
            createdAt: row.createdAt.seconds,
            lastUsedAt: row.lastUsedAt.seconds,
            expiresAt: row.end.seconds,
            place: row.place,
            signedInBy: row.method
        )
    }
}
