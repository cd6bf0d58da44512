// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The operating system's rules for files and locks, where the process runs.
package struct FileEnvironment: Sendable {
    var platform: Platform
    /// Lets a file, or what is made in a folder, be opened from the first unlock of the device on, also while it is locked.
    package var protect: @Sendable (_ path: String) -> Void
    /// Keeps the process from being suspended while it holds a lock; `nil` where processes are not.
    var suspension: SuspensionGuard?

    /// That of this process.
    package static let current = FileEnvironment(
        platform: .current,
        protect: { if Platform.current.hasDataProtection { protectUntilFirstUnlock($0) } },
        suspension: ExpiringActivity.system.map { SuspensionGuard($0) }
    )

    /// An app may have made a stricter protection its default, with which its files cannot be opened at a locked device.
    private static func protectUntilFirstUnlock(_ path: String) {
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
    }
}
