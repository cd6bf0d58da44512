// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

extension AuthSession {
    /// Imports the tokens of an older version of the app, so that its users stay signed in.
    ///
    /// Call it at every launch before reading ``state``: it imports only once, and only if the store has neither a
    /// session nor the reason of a sign-out. After a sign-out by the user of a session that was not imported, the store
    /// may be empty: old items that appear then are imported. The contract names the keys that the older version used.
    ///
    /// Imported items are deleted, except items that are synchronized between the user's devices: another device may
    /// still run the older version. They are also kept if the location names a refresh token and there is none at that
    /// place; ``SessionEvent/Kind/importIncomplete(_:)`` reports it. A later call with the right location then imports the
    /// refresh token, unless the user has signed in or out in the meantime.
    ///
    /// - Parameter items: The store of the older version.
    /// - Returns: Whether a session was imported.
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the old or the new store is unavailable;
    ///   ``SessionError/misconfigured(_:)`` if an item is not a token. No item is deleted in these cases.
    @discardableResult
    public func importSession(from items: some LegacyTokenSource) async throws(SessionError) -> Bool {
        let imports = contract.document.storage.imports
        let asked = endpoint.clock.snapshot
        do {
            let found = try LegacyTokens.find(imports, in: items)
            guard case .tokens(let tokens) = found else {
                // Another process may have imported them and deleted the items.
                await driver.readStoreIfSignedOut()
                if found == .noAccessToken, case .signedOut = state { published.emit(.importIncomplete(.accessToken)) }
                return false
            }
            let grant = try contract.grant(from: tokens, at: asked.wall)
            let isTaken = try await driver.adoptImported(
                grant,
                lacksRefreshToken: tokens.lacksRefreshToken,
                askedAt: asked,
                expiry: tokens.expiry
            )
            guard !tokens.lacksRefreshToken else {
                // The items may have the refresh token at a place that the location does not name.
                published.emit(.importIncomplete(.refreshToken))
                return isTaken
            }
            // The session is stored in the new store now, or was not imported: the old items would only be a risk.
            for item in tokens.items + LegacyItem.named(in: imports) where !item.isSynchronizable {
                try? items.remove(item)
            }
            return isTaken
        } catch let fault as SessionStoreError {
            throw SessionError(fault)
        } catch let fault as ContractFault {
            throw .misconfigured(fault.message)
        } catch {
            throw .cancelled
        }
    }
}
