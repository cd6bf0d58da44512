// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// The credential with which a request identifies its session.
///
/// The credential was verified when the request arrived; ``AuthorizedSession`` verifies it again in the transaction.
package enum SessionCredential: Sendable {
    /// The claims of an access token whose signature and expiry were verified.
    case accessToken(AccessClaims)
    /// The digest of the cookie of an account page.
    case pageCookie(Data)

    /// Returns the row of the credential's session; `nil` if it is missing or belongs to another user.
    package func session(in database: any SQLConnection) throws -> SessionRow? {
        switch self {
        case .accessToken(let claims):
            guard let row = try SessionTable.find(claims.session, in: database), row.user == claims.user else {
                return nil
            }
            return row
        case .pageCookie(let digest): return try PageSessionTable.session(of: digest, in: database)
        }
    }
}
