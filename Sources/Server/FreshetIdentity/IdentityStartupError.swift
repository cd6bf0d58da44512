// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An error of keys, sign-in settings or OAuth clients that prevents the start.
package enum IdentityStartupError: StartupError, Equatable {
    case unreadableKeyFile(String)
    /// The directory has no keys; a server creates them at its first start.
    case noKeys(String)
    /// The database is empty, but the directory's keys were used with a database that was not empty.
    case lostDatabase(String)
    /// The directory's keys were used with another database.
    case foreignDatabase(String)
    /// The data folder's keys are used with another database than the one in the folder.
    case abandonedDatabase(String)
    /// A copy of the database is not of the database that the data folder's keys are used with.
    case foreignCopy(String)
    /// The MAC keys of these numbers, on which the database's sessions depend, are missing.
    case missingKeys(String, [UInt8])
    /// The MAC keys of these numbers differ from those on which the database's sessions depend.
    case differentKeys(String, [UInt8])
    /// The MAC key in use was retired, so the directory is an older copy of the keys.
    case retiredKey(String, UInt8)
    case rotationTooFast
    /// The external keys cannot be used; the message contains the reason.
    case keys(String)
    case appleIncomplete
    case unreadableAppleKeys(String)
    case unsafeAppleKeys(String)
    case sessionLimitNotPositive
    case unreadablePasswordList(String)
    case unreadableClients(String)

    var cause: StartupErrorCause {
        switch self {
        case .unreadableKeyFile, .noKeys, .lostDatabase, .foreignDatabase, .abandonedDatabase, .foreignCopy,
            .missingKeys, .differentKeys, .retiredKey:
            .storage
        default: .setting
        }
    }

    var setting: String? {
        switch self {
        case .unreadablePasswordList: "breached-passwords"
        case .unreadableClients: "oauth-clients"
        case .unreadableAppleKeys, .unsafeAppleKeys, .appleIncomplete: "apple-keys"
        default: nil
        }
    }

    package var description: String {
        switch self {
        case .unreadableKeyFile(let path): "\(path): not a key this version can read"
        case .noKeys(let path): "\(path): there are no keys; a server creates them at its first start"
        case .lostDatabase(let path):
            "the database is empty, but the keys in \(path) were used with one that had content, which may be lost or "
                + "not mounted: bring it back, or start once with --new-database"
        case .foreignDatabase(let path):
            "the keys in \(path) were used with another database: name that one, or start once with --new-database"
        case .abandonedDatabase(let path):
            "the keys in \(path) are used with another database than the SQLite database there: give its address in "
                + "FRESHET_DATABASE"
        case .foreignCopy(let path):
            "the copy is of another installation's database than the keys in \(path): give the copy that belongs to these "
                + "keys, or restore its keys first; nothing was changed"
        case .missingKeys(let path, let ids):
            "the database's sessions rest on \(Self.names(ids)), which \(ids.count == 1 ? "is" : "are") neither in \(path) nor "
                + "given by FRESHET_KEYS or keys-command: mount the folder of keys that belongs to this database. If a key "
                + "is lost for good, `\(Self.retirement(ids))` gives it up, and its users sign in again"
        case .differentKeys(let path, let ids):
            "\(Self.names(ids)), from \(path), FRESHET_KEYS or keys-command, "
                + (ids.count == 1 ? "is not the key of that number" : "are not the keys of those numbers")
                + " that the database's sessions rest on: give all servers on a database the same keys. If a right key is "
                + "lost for good, move the other one away, and `\(Self.retirement(ids))` gives the lost one up"
        case .retiredKey(let path, let id):
            "mac-\(id) in \(path) is in use there, and the database records it as retired: the folder is an older copy; put the "
                + "newer keys there"
        case .rotationTooFast: "keys can be rotated at most once an hour"
        case .keys(let sentence): sentence
        case .appleIncomplete: "Sign in with Apple needs both Apple's keys and the apps that may use it"
        case .unreadableAppleKeys(let path): "\(path): no key set with a key for ES256 or RS256"
        case .unsafeAppleKeys(let text): "'\(text)': Apple's keys come by https, or from this machine"
        case .sessionLimitNotPositive: "a user must be able to have one session at least"
        case .unreadablePasswordList(let path): "\(path): cannot be read as a list of SHA-1 hashes in hex, one a line"
        case .unreadableClients(let sentence): sentence
        }
    }

    private static func names(_ ids: [UInt8]) -> String {
        let names = ids.map { "mac-\($0)" }
        guard names.count > 1, let last = names.last else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func retirement(_ ids: [UInt8]) -> String {
        "freshet keys retire mac \(ids.first ?? 1) --force --data DIR"
    }
}
