// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase

extension AdminService {
    /// Checks that the keys in a data folder are used with the database of which a copy is to be restored.
    ///
    /// - Parameters:
    ///   - copy: A connection to the copy.
    ///   - dataDirectory: The data folder.
    /// - Throws: `IdentityStartupError.foreignCopy`.
    package static func checkCopy(_ copy: any SQLConnection, in dataDirectory: URL) throws {
        guard FileManager.default.fileExists(atPath: dataDirectory.appending(path: "keys").path),
            let marker = try KeyDirectory(in: dataDirectory, createsKeys: false).marker(),
            // A copy of an older version has no identity.
            let identity = try? KeyFingerprintTable.identity(in: copy), identity != marker
        else { return }
        throw IdentityStartupError.foreignCopy(dataDirectory.path)
    }

    /// Checks that the keys in a data folder are used with this service's database, the SQLite database beside them.
    ///
    /// Without it, an operator's command that was not given the address of the server's PostgreSQL database would change
    /// the SQLite database that the server used before.
    ///
    /// - Throws: `IdentityStartupError.abandonedDatabase`.
    package func checkDatabaseIdentity(in dataDirectory: URL) throws {
        guard FileManager.default.fileExists(atPath: dataDirectory.appending(path: "keys").path) else { return }
        let folder = try KeyDirectory(in: dataDirectory, createsKeys: false)
        guard let marker = try folder.marker(),
            let identity = try database.readNow({ try KeyFingerprintTable.identity(in: $0) }), identity != marker
        else { return }
        throw IdentityStartupError.abandonedDatabase(dataDirectory.path)
    }
}
