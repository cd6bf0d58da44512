// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension OutboxDisk {
    /// Gives the accounts' folders of an earlier version the names that they have now (``FileNameMigration``).
    ///
    /// Items that were written for two users whose names differ in case alone, on a volume that ignores case, stay in the
    /// folder of the user whose item came first: nothing tells them apart.
    static func migrateNames(in base: borrowing SecureFolder, at path: String) throws(SessionStoreError) {
        for step in FileNameMigration.steps(try base.names(), suffixes: [""])
        where SessionOwner.owner(ofFolder: step.new) != nil {
            if try !base.isMoved(step) { try merge("\(path)/\(step.old)", into: "\(path)/\(step.new)") }
        }
    }

    /// Moves items to a folder that is there already, because an earlier version of the app ran again in between.
    private static func merge(_ old: String, into new: String) throws(SessionStoreError) {
        for part in ["waiting", "dead"] {
            guard let from = try SecureFolder.open("\(old)/\(part)", creating: false),
                let target = try SecureFolder.open("\(new)/\(part)", creating: true)
            else { continue }
            for name in try from.names() where !name.hasPrefix(".") { _ = try from.move(name, to: target, as: name) }
            try target.syncDirectory()
        }
        try? FileManager.default.removeItem(atPath: old)
    }
}

extension SecureFolder {
    /// Renames a folder in this one.
    ///
    /// - Returns: `false` if there is a folder of the new name with something in it.
    fileprivate borrowing func isMoved(_ step: FileNameMigration.Step) throws(SessionStoreError) -> Bool {
        guard renameat(handle, step.old, handle, step.new) != 0, errno != ENOENT else { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else { throw .system("rename the folder") }
        return false
    }
}
