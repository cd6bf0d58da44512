// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Detects that an earlier installation of the app stored the items of a service.
final class ReinstallDetector: Sendable {
    private let marker: InstallationMarker?
    private let removesEarlierSessions: Bool
    private let items: KeychainItem
    private let isMarked = Locked(false)

    /// Creates a detector.
    ///
    /// Only the service and the access group of the item are used.
    init(_ marker: InstallationMarker?, of item: KeychainItem, keepsSessionOverReinstall: Bool) {
        self.marker = marker
        removesEarlierSessions = !keepsSessionOverReinstall
        items = item.with(account: nil)
    }

    /// Compares the keychain's response with the marker, and creates the marker if there is none.
    ///
    /// - Parameter isFound: Whether an item was found, or is about to be added.
    /// - Returns: Whether the keychain has to be queried again, because this deleted sessions of an earlier
    ///   installation.
    /// - Throws: ``SessionStoreError`` if nothing was found, and the device may not have been unlocked since it
    ///   started.
    func reconcile(isFound: Bool) throws(SessionStoreError) -> Bool {
        // "Not found" is trusted only if the marker is readable now, whether or not it was before.
        guard let marker, !isFound || !isMarked.withLock({ $0 }) else { return false }
        switch marker.state() {
        case .readable: break
        case .unsupported: return false
        case .locked:
            guard isFound else { throw .hidden }
            return false
        case .missing: return try install(marker, isFound: isFound)
        }
        isMarked.withLock { $0 = true }
        return false
    }

    /// Creates the marker of a new installation, after deleting the sessions of an earlier one.
    ///
    /// They are deleted only where a marker can be made: otherwise each launch would delete them.
    ///
    /// - Returns: Whether this deleted sessions.
    private func install(_ marker: InstallationMarker, isFound: Bool) throws(SessionStoreError) -> Bool {
        guard try succeeds(marker.prepare, isFound: isFound) else { return false }
        if removesEarlierSessions { try drop(marker) }
        if try succeeds(marker.make, isFound: isFound) { isMarked.withLock { $0 = true } }
        return removesEarlierSessions
    }

    /// Whether the marker, or its folder, could be created.
    private func succeeds(
        _ step: () throws(SessionStoreError) -> Void,
        isFound: Bool
    ) throws(SessionStoreError) -> Bool {
        do throws(SessionStoreError) {
            try step()
            return true
        } catch {
            switch (isFound, error.kind) {
            // If a marker can never exist, no launch counts as the first of an installation.
            case (_, .denied): return false
            case (false, .locked): throw .hidden
            // A full disk says nothing about the keychain.
            case (false, _): return false
            // Without a marker, the next launch would mistake this installation's session for an earlier one's.
            case (true, _): if removesEarlierSessions { throw error } else { return false }
            }
        }
    }

    /// Deletes the sessions of an earlier installation.
    private func drop(_ marker: InstallationMarker) throws(SessionStoreError) {
        let leftovers = try items.list()
        // The items were listed before this check: if another process has created the marker in the meantime, they may
        // be its own.
        guard marker.state() == .missing else { return }
        for (account, tag) in leftovers { _ = try items.with(account: account).delete(tagged: tag) }
    }
}

extension SessionStoreError {
    /// The error for "not found" while the keychain may not return its items yet.
    static let hidden = KeychainStatus.itemNotFound.fault("read the session")
}
