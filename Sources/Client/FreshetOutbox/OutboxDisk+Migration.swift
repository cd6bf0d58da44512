// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension OutboxDisk {
    /// Renames the account folders of an earlier version (``FileNameMigration``).
    ///
    /// On a case-insensitive volume, items of two users whose names differ only by case stay in the folder of the user
    /// whose item came first, because they cannot be distinguished.
    static func migrateNames(
        in base: borrowing SecureFolder,
        at path: String,
        _ environment: FileEnvironment
    ) throws(SessionStoreError) {
        for step in FileNameMigration.steps(try base.names(), suffixes: [""])
        where SessionOwner.owner(ofFolder: step.new) != nil {
            if try !base.isMoved(step) {
                try merge("\(path)/\(step.old)", into: "\(path)/\(step.new)", environment)
            }
        }
    }

    /// Moves items to an existing folder, because an earlier version of the app ran again in between.
    private static func merge(
        _ old: String,
        into new: String,
        _ environment: FileEnvironment
    ) throws(SessionStoreError) {
        for part in ["waiting", "dead"] {
            guard let from = try SecureFolder.open("\(old)/\(part)", creating: false, environment: environment),
                let target = try SecureFolder.open("\(new)/\(part)", creating: true, environment: environment)
            else { continue }
            for name in try from.names() where !name.hasPrefix(".") { _ = try from.move(name, to: target, as: name) }
            try target.syncDirectory()
        }
        try? FileManager.default.removeItem(atPath: old)
    }
}

extension SecureFolder {
    /// Renames a subfolder.
    ///
    /// - Returns: `false` if a folder of the new name exists and is not empty.
    fileprivate borrowing func isMoved(_ step: FileNameMigration.Step) throws(SessionStoreError) -> Bool {
        guard system.renameat(handle, step.old, handle, step.new) != 0, errno != ENOENT else { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else { throw .system("rename the folder") }
        return false
    }
}
