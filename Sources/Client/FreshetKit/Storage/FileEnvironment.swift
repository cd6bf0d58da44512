// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The operating system's rules for files and locks in this process.
package struct FileEnvironment: Sendable {
    var platform: Platform
    /// Allows a file, or files created in a folder, to be opened while the device is locked, after its first unlock, and
    /// excludes it from backups.
    package var protect: @Sendable (_ path: String) -> Void
    /// Keeps the process from being suspended while it holds a lock; `nil` on systems that do not suspend processes.
    var suspension: SuspensionGuard?
    /// The system calls.
    var system: any FileSystem = POSIXFileSystem()
    /// The folders whose names this process has made durable.
    let durableFolders = DurableFolders()
    /// The threads of this process that wait for locks.
    let lockQueue = LockQueue()

    /// The environment of this process.
    package static let current = FileEnvironment(
        platform: .current,
        protect: { path in
            excludeFromBackups(path)
            if Platform.current.hasDataProtection { protectUntilFirstUnlock(path) }
        },
        suspension: ExpiringActivity.system.map { SuspensionGuard($0) }
    )

    /// Returns the environment of a simulated device with data protection, whose files are those of `system`.
    package static func simulated(_ system: any FileSystem) -> FileEnvironment {
        FileEnvironment(platform: .iOS, protect: { _ in }, suspension: nil, system: system)
    }

    /// Excludes a file or folder from backups: if one is restored to another device, two devices have one refresh token, and
    /// the session ends as if it were stolen.
    private static func excludeFromBackups(_ path: String) {
        #if canImport(Darwin)
            var url = URL(filePath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
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
