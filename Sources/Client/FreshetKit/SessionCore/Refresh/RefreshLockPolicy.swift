// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether a refresh may be sent although the lock for it could not be opened.
///
/// It is a pure rule. Two processes that present the same single-use refresh token end its session, so a lock that cannot be
/// opened now, as on a locked device, is waited for. One that can never be opened, because the system permits no file
/// there, would otherwise end every session at its first expiry.
struct RefreshLockPolicy: Equatable, Sendable {
    /// Whether a second refresh with the same token costs no more than a request, as with Freshet's own protocol.
    var allowsRepeatedRefresh: Bool

    /// Whether to refresh without the lock.
    ///
    /// - Parameter fault: Why the lock cannot be opened; that another process has it is no fault.
    /// - Returns: `false` if the refresh is to be tried again later.
    func allowsRefresh(without fault: SessionStoreError) -> Bool {
        switch fault.kind {
        // It passes, and the store itself cannot be written until then.
        case .locked, .missing: false
        case .denied: true
        case .failed, .damaged, .foreign, .newerVersion: allowsRepeatedRefresh
        }
    }
}
