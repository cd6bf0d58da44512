// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetDatabase
import FreshetEngine

/// A verified identity token, with the nonce to be marked as used along with it.
struct VerifiedIdentity: Sendable {
    var token: IdentityToken
    /// The nonce issued by this server, with its expiry; `nil` if this server issued none.
    var nonce: (text: String, end: Timestamp)?

    /// Marks token and nonce as used.
    ///
    /// - Returns: Whether both were unused.
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
