// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The operating system's rules for files and locks in this process.
package struct FileEnvironment: Sendable {
    var platform: Platform
    /// Allows a file, or files created in a folder, to be opened while the device is locked, after its first unlock.
    package var protect: @Sendable (_ path: String) -> Void
    /// Keeps the process from being suspended while it holds a lock; `nil` on systems that do not suspend processes.
    var suspension: SuspensionGuard?
    /// The system calls.
    var system: any FileSystem = POSIXFileSystem()

    /// The environment of this process.
    package static let current = FileEnvironment(
        platform: .current,
        protect: { if Platform.current.hasDataProtection { protectUntilFirstUnlock($0) } },
        suspension: ExpiringActivity.system.map { SuspensionGuard($0) }
    )

    /// Returns the environment of a simulated device with data protection, whose files are those of `system`.
    package static func simulated(_ system: any FileSystem) -> FileEnvironment {
        FileEnvironment(platform: .iOS, protect: { _ in }, suspension: nil, system: system)
    }

    /// Sets the protection class explicitly, because an app's default may be stricter, so that files could not be
    /// opened while the device is locked.
    private static func protectUntilFirstUnlock(_ path: String) {
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
    }
}
