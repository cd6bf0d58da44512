// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A file in the app's own storage that tells what the keychain does not.
///
/// The keychain outlives the app, the file does not. And before the device is first unlocked after its start, the keychain
/// may answer that an item is not there; the file, which is protected until then, cannot be opened, or made, either.
package struct InstallationMarker: Sendable {
    package enum State: Sendable, Equatable {
        case readable
        case missing
        /// It is there, or may be, and cannot be opened now: the device was not unlocked since it started.
        case locked
        /// The system permits no such file, now or later. It tells nothing then, as if there were no folder for it.
        case unsupported
    }

    var state: @Sendable () -> State
    /// Makes sure that there is a folder for the marker.
    var prepare: @Sendable () throws(SessionStoreError) -> Void
    var make: @Sendable () throws(SessionStoreError) -> Void

    /// A marker for tests to answer for.
    package init(
        state: @escaping @Sendable () -> State,
        prepare: @escaping @Sendable () throws(SessionStoreError) -> Void = {},
        make: @escaping @Sendable () throws(SessionStoreError) -> Void
    ) {
        self.state = state
        self.prepare = prepare
        self.make = make
    }

    /// The marker for the items of a service; it needs to be the same for all processes that share them.
    package static func file(forService service: String, in directory: URL) -> InstallationMarker {
        .file("\(FileName.escaped(service)).installed", in: directory)
    }

    /// The marker for the items of a service, where the system keeps an app's files; `nil` elsewhere.
    ///
    /// On Apple TV a marker among the caches would go with them, and with it the sessions that it vouches for.
    static func standard(forService service: String, in directory: URL?, on platform: Platform) -> InstallationMarker? {
        platform.keepsFiles ? directory.map { .file(forService: service, in: $0) } : nil
    }

    /// The marker that is the file `name` in `directory`.
    package static func file(_ name: String, in directory: URL) -> InstallationMarker {
        let path = directory.standardizedFileURL.path
        return InstallationMarker {
            do throws(SessionStoreError) {
                guard let folder = try SecureFolder.open(path, creating: false) else { return .missing }
                try folder.migrateNames(suffixes: [".installed"])
                return try folder.read(name) == nil ? .missing : .readable
            } catch { return error.kind == .denied ? .unsupported : .locked }
        } prepare: { () throws(SessionStoreError) in
            _ = try SecureFolder.open(path, creating: true)
        } make: { () throws(SessionStoreError) in
            guard let folder = try SecureFolder.open(path, creating: true) else { return }
            // Several processes may make it at once.
            try folder.write(Data(), to: name, by: ".\(name).\(UUID().uuidString)")
        }
    }
}
