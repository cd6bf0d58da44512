// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The differences between operating systems concerning files, suspension and the network.
///
/// Decisions use it as a value, so that the decisions for Apple's systems can be tested on any system.
struct Platform: Equatable, Sendable {
    /// Whether a locked device may refuse to open files (data protection).
    var hasDataProtection = false
    /// Whether the system suspends apps, and terminates those that hold a lock on a file then (0xdead10cc).
    var suspendsApps = false
    /// Whether an app has a folder whose content the system keeps.
    ///
    /// On Apple TV, an app can write only to its caches.
    var keepsFiles = true
    /// Whether a network path is ever satisfied: on Apple Watch it is not, though `URLSession` works (TN3135).
    var reportsNetworkPath = true

    static let iOS = Platform(hasDataProtection: true, suspendsApps: true)
    static let watchOS = Platform(hasDataProtection: true, suspendsApps: true, reportsNetworkPath: false)
    static let tvOS = Platform(suspendsApps: true, keepsFiles: false)
    static let macOS = Platform()
    static let linux = Platform()

    /// The current system.
    static var current: Platform {
        #if os(iOS) || os(visionOS)
            .iOS
        #elseif os(watchOS)
            .watchOS
        #elseif os(tvOS)
            .tvOS
        #elseif os(macOS)
            .macOS
        #else
            .linux
        #endif
    }

    /// The folder for an app's own small files.
    var standardDirectory: FileManager.SearchPathDirectory {
        keepsFiles ? .applicationSupportDirectory : .cachesDirectory
    }

    /// Classifies a refusal by the system to open or create a file in a folder of this user.
    ///
    /// A locked device refuses access to a file but not to its folder; a sandbox refuses both permanently.
    ///
    /// - Parameters:
    ///   - code: The system's error.
    ///   - isFolderWritable: Whether the permissions of the folder allow creating files.
    /// - Returns: `locked` if access is possible once the device is unlocked, `denied` if the refusal is permanent.
    func kind(ofRefusal code: Int32, isFolderWritable: Bool) -> SessionStoreError.Kind {
        guard code == EPERM || code == EACCES else { return SessionStoreError.kind(of: code) }
        return hasDataProtection && isFolderWritable ? .locked : .denied
    }
}
