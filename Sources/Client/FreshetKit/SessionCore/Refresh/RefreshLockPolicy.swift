// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether a refresh may be sent although the lock for it could not be opened.
///
/// A pure rule. Two processes that present the same single-use refresh token end its session. Therefore a refresh waits
/// for a lock that cannot be opened now, for example on a locked device. A lock that can never be opened, because the
/// system permits no file there, is ignored: waiting for it would end every session at its first expiry.
struct RefreshLockPolicy: Equatable, Sendable {
    /// Whether a second refresh with the same token costs at most one additional request, like with Freshet's own
    /// protocol.
    var allowsRepeatedRefresh: Bool

    /// Whether to refresh without the lock.
    ///
    /// - Parameter fault: The reason that the lock cannot be opened. A lock held by another process is not a fault.
    /// - Returns: `false` if the refresh is to be tried again later.
    func allowsRefresh(without fault: SessionStoreError) -> Bool {
        switch fault.kind {
        // The condition is temporary, and the store cannot be written until it ends.
        case .locked, .missing: false
        case .denied: true
        case .failed, .damaged, .foreign, .newerVersion: allowsRepeatedRefresh
        }
    }
}
