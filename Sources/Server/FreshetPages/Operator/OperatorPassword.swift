// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetIdentity
import FreshetSystem

/// The operators' password: its hash, in a file of the data folder that only the server's user can read.
package struct OperatorPassword: Sendable {
    /// Whoever has it ends everybody's sessions.
    package static let minimumLength = 12

    /// Why a password is not taken.
    package enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        case tooShort
        case tooLong
        case common

        package var description: String {
            switch self {
            case .tooShort: "the operators' password has at least \(OperatorPassword.minimumLength) characters"
            case .tooLong: "a password has at most \(PasswordHasher.maximumLength) bytes"
            case .common: "this password is among the first that are tried; choose another"
            }
        }
    }

    package let file: URL
    private let folder: URL

    package init(in dataDirectory: URL) {
        folder = dataDirectory
        file = dataDirectory.appending(path: "operator.password")
    }

    /// Whether there is one.
    package var isSet: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Stores a password's hash; whoever is signed in with another one is so no more.
    ///
    /// - Parameters:
    ///   - password: The password; blanks around it do not count.
    ///   - cost: What it costs to check.
    /// - Throws: ``Refusal``, `StartupError` for a folder that others can look into, or what the file system says.
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

    /// The hash; `nil` as long as there is no password.
    ///
    /// - Throws: `StartupError` if others can read the file.
    package func hash() throws -> String? {
        guard isSet else { return nil }
        guard try PrivateFiles.isPrivateFile(file) else { throw PrivateFiles.UnsafeKeyFile(path: file.path) }
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package static func trimmed(_ password: String) -> String {
        password.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
