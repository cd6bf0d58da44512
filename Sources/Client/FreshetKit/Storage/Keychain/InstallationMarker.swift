// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetWire

/// A file in the app's own storage, to interpret the keychain's responses.
///
/// Keychain items remain after the app is deleted; the file does not. Before the first unlock after a restart, the
/// keychain may report that an item does not exist. The file is protected until then, so a failure to open or create it
/// shows that the keychain's response is not reliable.
package struct InstallationMarker: Sendable {
    package enum State: Sendable, Equatable {
        case readable
        case missing
        /// The file may exist, but cannot be opened: the device was not unlocked since it started.
        case locked
        /// The system never permits such a file. The keychain is then used as without a marker.
        case unsupported
    }

    var state: @Sendable () -> State
    /// Creates the folder of the marker if needed, and checks that a file can be created in it.
    var prepare: @Sendable () throws(SessionStoreError) -> Void
    var make: @Sendable () throws(SessionStoreError) -> Void

    /// Creates a marker with closures, for tests.
    package init(
        state: @escaping @Sendable () -> State,
        prepare: @escaping @Sendable () throws(SessionStoreError) -> Void = {},
        make: @escaping @Sendable () throws(SessionStoreError) -> Void
    ) {
        self.state = state
        self.prepare = prepare
        self.make = make
    }

    /// Returns the marker for the items of a service; all processes that share the items need the same one.
    package static func file(forService service: String, in directory: URL) -> InstallationMarker {
        .file("\(FileName.escaped(service)).installed", in: directory)
    }

    /// Returns the marker for the items of a service; `nil` on systems that do not keep an app's files.
    ///
    /// On Apple TV the marker could only be stored in the caches, and sessions would be lost when the system deletes
    /// them.
    static func standard(forService service: String, in directory: URL?, on platform: Platform) -> InstallationMarker? {
        platform.keepsFiles ? directory.map { .file(forService: service, in: $0) } : nil
    }

    /// Returns the marker in the file `name` in `directory`.
    package static func file(
        _ name: String,
        in directory: URL,
        environment: FileEnvironment = .current
    ) -> InstallationMarker {
        let path = directory.standardizedFileURL.path
        return InstallationMarker {
            do throws(SessionStoreError) {
                let folder = try SecureFolder.open(path, creating: false, environment: environment)
                guard let folder else { return .missing }
                try folder.migrateNames(suffixes: [".installed"])
                return try folder.read(name) == nil ? .missing : .readable
            } catch { return error.kind == .denied ? .unsupported : .locked }
        } prepare: { () throws(SessionStoreError) in
            let folder = try SecureFolder.open(path, creating: true, environment: environment)
            guard let folder else { return }
            let probe = ".\(name).\(UUID.random().uuidString)"
            try folder.prepare(Data(), as: probe)
            try folder.removeWithoutSync(probe)
        } make: { () throws(SessionStoreError) in
            let folder = try SecureFolder.open(path, creating: true, environment: environment)
            guard let folder else { return }
            // Several processes may create it at the same time.
            try folder.write(Data(), to: name, by: ".\(name).\(UUID.random().uuidString)")
        }
    }
}
