// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetIdentity
import FreshetSystem

/// The operators' password, stored as a hash in the data directory.
///
/// Only the server's user can read the file.
package struct OperatorPassword: Sendable {
    /// The minimum length; the password allows ending all users' sessions.
    static let minimumLength = 12

    /// The reason that a password is rejected.
    package enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        case tooShort
        case tooLong
        case common

        package var description: String {
            switch self {
            case .tooShort: "the operators' password must have at least \(OperatorPassword.minimumLength) characters"
            case .tooLong: "a password must have at most \(PasswordHasher.maximumLength) bytes"
            case .common: "this password is too common; choose another one"
            }
        }
    }

    package let file: URL
    private let folder: URL

    package init(in dataDirectory: URL) {
        folder = dataDirectory
        file = dataDirectory.appending(path: "operator.password")
    }

    /// Whether a password is set.
    package var isSet: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Stores a password's hash; sessions opened with another password end.
    ///
    /// - Parameters:
    ///   - password: The password; whitespace around it is ignored.
    ///   - cost: The cost of hashing the password.
    /// - Throws: ``Refusal``, `StartupError` for a folder that other users can read, or an error of the file system.
    package func set(_ password: String, cost: PasswordCost = PasswordCost()) async throws {
        let password = Self.trimmed(password)
        guard password.count >= Self.minimumLength else { throw Refusal.tooShort }
        guard password.utf8.count <= PasswordHasher.maximumLength else { throw Refusal.tooLong }
        guard !CommonPasswords.contains(password.lowercased()) else { throw Refusal.common }
        try PrivateFiles.prepare(folder)
        let hasher = PasswordHasher(cost)
        let phc: String
        do { phc = try await hasher.hash(password) } catch {
            try? await hasher.shutDown()
            throw error
        }
        try await hasher.shutDown()
        try PrivateFiles.replace(file, with: Array("\(phc)\n".utf8))
    }

    /// Returns the hash; `nil` if no password is set.
    ///
    /// - Throws: `StartupError` if other users can read the file.
    package func hash() throws -> String? {
        guard isSet else { return nil }
        guard try PrivateFiles.isPrivateFile(file) else { throw PrivateFiles.UnsafeKeyFile(path: file.path) }
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func trimmed(_ password: String) -> String {
        password.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
