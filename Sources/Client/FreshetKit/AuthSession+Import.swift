// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

extension AuthSession {
    /// Takes over the tokens of an older version of the app, so that its users stay signed in.
    ///
    /// Call it at every launch before you look at ``state``: it does something once, and only where nobody signed in yet.
    /// The contract says under which keys the older version kept what. What was taken over is removed from there, except
    /// items that travel between the user's devices: another device may still run the older version.
    ///
    /// - Parameter items: Where the older version kept its tokens.
    /// - Returns: Whether a session was taken over.
    /// - Throws: ``SessionError/storeUnavailable(_:)`` if the old place or the new one gives no answer now;
    ///   ``SessionError/contractFault(_:)`` if what is there is no token. Nothing is lost then.
    @discardableResult
    public func importSession(from items: some LegacyTokenSource) async throws(SessionError) -> Bool {
        let imports = contract.document.storage.imports
        let asked = endpoint.clock.snapshot
        do {
            guard let tokens = try LegacyTokens.find(imports, in: items) else {
                // Another process may have taken them over and removed the items.
                await driver.readStoreIfSignedOut()
                return false
            }
            let grant = try contract.grant(from: tokens, at: asked.wall)
            let isTaken = try await driver.adoptImported(grant, askedAt: asked)
            // It rests with us now, or was not wanted: a copy would only be a second place to lose it from.
            for item in tokens.items + LegacyItem.named(in: imports) where !item.isSynchronizable {
                try? items.remove(item)
            }
            return isTaken
        } catch let fault as SessionStoreError {
            throw SessionError(fault)
        } catch let fault as ContractFault {
            throw .contractFault(fault.message)
        } catch {
            throw .cancelled
        }
    }
}
