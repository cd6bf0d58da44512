// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetDatabase
package import FreshetEngine

/// An identity token that is good, and what must be spent with its use.
package struct VerifiedIdentity: Sendable {
    package var token: IdentityToken
    /// The server's own nonce and its end; `nil` where the client chose one, or none.
    package var nonce: (text: String, end: Timestamp)?

    /// Spends token and nonce.
    ///
    /// - Returns: whether both were unused.
    func markUsed(for use: CodeAttemptRow.Use?, deletingExpiredBefore moment: Timestamp, in database: any SQLConnection)
        throws
        -> Bool
    {
        let isNew = try UsedProofTable.markUsed(
            token.digest,
            until: token.expiresAt,
            for: use,
            deletingExpiredBefore: moment,
            in: database
        )
        guard isNew, let nonce else { return isNew }
        let digest = Array(SHA256.hash(data: Data("nonce \(nonce.text)".utf8)))
        return try UsedProofTable.markUsed(
            digest,
            until: nonce.end,
            for: nil,
            deletingExpiredBefore: moment,
            in: database
        )
    }
}
