// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// This installation of the app, and the items of a service that it finds.
final class ReinstallDetector: Sendable {
    private let marker: InstallationMarker?
    private let removesEarlierSessions: Bool
    private let items: KeychainItem
    private let isMarked = Locked(false)

    /// Of the item only the service and the access group count.
    init(_ marker: InstallationMarker?, of item: KeychainItem, keepsSessionOverReinstall: Bool) {
        self.marker = marker
        removesEarlierSessions = !keepsSessionOverReinstall
        items = item.with(account: nil)
    }

    /// Compares what the keychain answered with the marker, and makes the marker if there is none.
    ///
    /// - Parameter isFound: Whether an item was found, or is about to be made.
    /// - Returns: Whether the keychain has to be asked again, because this dropped sessions of an earlier installation.
    /// - Throws: ``SessionStoreError`` if nothing was found, and the device may not have been unlocked since it started.
    func reconcile(isFound: Bool) throws(SessionStoreError) -> Bool {
        // "Not found" is trusted only if the marker is readable now, whether or not it was before.
        guard let marker, !isFound || !isMarked.withLock({ $0 }) else { return false }
        switch marker.state() {
        case .readable: break
        case .unsupported: return false
        case .locked:
            guard isFound else { throw .hidden }
            return false
        case .missing:
            guard try install(marker, isFound: isFound) else { return false }
            isMarked.withLock { $0 = true }
            return removesEarlierSessions
        }
        isMarked.withLock { $0 = true }
        return false
    }

    /// Makes the marker of a new installation, after the sessions of an earlier one were dropped.
    ///
    /// - Returns: Whether there is a marker now.
    private func install(_ marker: InstallationMarker, isFound: Bool) throws(SessionStoreError) -> Bool {
        guard try succeeds(marker.prepare, isFound: isFound) else { return false }
        if removesEarlierSessions { try drop(marker) }
        return try succeeds(marker.make, isFound: isFound)
    }

    /// Whether the marker, or the folder for it, could be made.
    private func succeeds(
        _ step: () throws(SessionStoreError) -> Void,
        isFound: Bool
    ) throws(SessionStoreError) -> Bool {
        do throws(SessionStoreError) {
            try step()
            return true
        } catch {
            switch (isFound, error.kind) {
            // Where no marker can ever be, no launch is taken for the first of an installation.
            case (_, .denied): return false
            case (false, .locked): throw .hidden
            // A full disk says nothing about the keychain.
            case (false, _): return false
            // Without a marker, the next launch would take this installation's session for an earlier one's.
            case (true, _): if removesEarlierSessions { throw error } else { return false }
            }
        }
    }

    /// Deletes what an earlier installation left.
    private func drop(_ marker: InstallationMarker) throws(SessionStoreError) {
        let leftovers = try items.list()
        // Listed before this look: if another process has made the marker meanwhile, these may be its own.
        guard marker.state() == .missing else { return }
        for (account, tag) in leftovers { _ = try items.with(account: account).delete(tagged: tag) }
    }
}

extension SessionStoreError {
    /// "Not found" from a keychain that may not show its items yet.
    static let hidden = KeychainStatus.itemNotFound.fault("read the session")
}
