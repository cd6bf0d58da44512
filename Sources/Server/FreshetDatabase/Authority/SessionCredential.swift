// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// What a request presents of the session that it acts for.
///
/// It is evidence from when the request arrived; ``AuthorizedSession`` is what the transaction makes of it.
package enum SessionCredential: Sendable {
    /// The claims of an access token whose signature and expiry were verified.
    case accessToken(AccessClaims)
    /// The digest of the cookie of an account page.
    case pageCookie(Data)

    /// The session's row, if it is the row of the user that the credential names.
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
