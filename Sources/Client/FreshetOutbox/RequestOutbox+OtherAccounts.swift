// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// Items of users who are not signed in.
extension RequestOutbox {
    /// Returns the accounts with items or dead letters that are not signed in.
    ///
    /// Accounts of other backends are included.
    ///
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the folder cannot be read now.
    public func otherAccounts() async throws(OutboxError) -> [OutboxAccount] {
        let status = session.status
        let current = SessionOwner(status).map(driver.makeAccount)?.folder
        do throws(SessionStoreError) { return try await disk.accounts(otherThan: current) } catch {
            throw .storeUnavailable(error)
        }
    }

    /// Assigns items of an unknown user to the user who is signed in, and sends them as that user.
    ///
    /// Call it when the app knows that this user wrote them, for example because the device has one user. Items of a
    /// known user are never adopted: they wait until that user signs in.
    ///
    /// - Parameter account: One of ``otherAccounts()`` whose ``OutboxAccount/userID`` is `nil`.
    /// - Returns: The number of adopted items and dead letters. Items that another process is sending are not adopted.
    /// - Throws: ``OutboxError/notAdoptable`` for the items of a known user or of another backend,
    ///   ``OutboxError/noAccount`` if no user is signed in, and ``OutboxError/storeUnavailable(_:)``.
    @discardableResult
    public func adopt(_ account: OutboxAccount) async throws(OutboxError) -> Int {
        guard case let (.session, origin)? = SessionOwner.owner(ofFolder: account.id), origin == session.origin
        else { throw .notAdoptable }
        guard let current = try await currentAccounts().last else { throw .noAccount }
        guard current.folder != account.id else { return 0 }
        let merge: OutboxFolder.Merge?
        do throws(SessionStoreError) { merge = try await disk.merge(account.id, into: current.folder) } catch {
            throw .storeUnavailable(error)
        }
        await driver.scan(.all)
        return merge?.moved ?? 0
    }

    /// Removes all items and dead letters of an account, for example of a user who no longer uses the app.
    ///
    /// An item that is being sent at this moment may still reach the server.
    ///
    /// - Parameter account: One of ``otherAccounts()``.
    /// - Throws: ``OutboxError/storeUnavailable(_:)`` if the folder cannot be written now.
    public func discardEverything(of account: OutboxAccount) async throws(OutboxError) {
        guard SessionOwner.owner(ofFolder: account.id) != nil else { throw .noSuchItem }
        do throws(SessionStoreError) {
            _ = try await disk.work(in: account.id) { folder throws(SessionStoreError) in
                try folder.discardEverything()
            }
        } catch {
            throw .storeUnavailable(error)
        }
        await driver.scan(.all)
    }
}
