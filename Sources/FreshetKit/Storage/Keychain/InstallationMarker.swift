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
        /// It is there, or may be, and cannot be opened.
        case sealed
    }

    var state: @Sendable () -> State
    var make: @Sendable () throws(StoreUnavailable) -> Void

    /// A marker for tests to answer for.
    package init(
        state: @escaping @Sendable () -> State,
        make: @escaping @Sendable () throws(StoreUnavailable) -> Void
    ) {
        self.state = state
        self.make = make
    }

    /// The marker for the items of a service; it needs to be the same for all processes that share them.
    package static func file(forService service: String, in directory: URL) -> InstallationMarker {
        .file("\(FileName.escaped(service)).installed", in: directory)
    }

    /// The marker that is the file `name` in `directory`.
    package static func file(_ name: String, in directory: URL) -> InstallationMarker {
        let path = directory.standardizedFileURL.path
        return InstallationMarker {
            do throws(StoreUnavailable) {
                guard let folder = try SecureFolder.open(path, creating: false), try folder.read(name) != nil else {
                    return .missing
                }
                return .readable
            } catch { return .sealed }
        } make: { () throws(StoreUnavailable) in
            guard let folder = try SecureFolder.open(path, creating: true) else { return }
            // Several processes may make it at once.
            try folder.write(Data(), to: name, by: ".\(name).\(UUID().uuidString)")
            // An app may have made a stricter protection its default, with which the file is sealed at every lock.
            try? FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                ofItemAtPath: directory.appending(path: name).path
            )
        }
    }
}
