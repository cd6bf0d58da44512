// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetIdentity
import FreshetServer
import FreshetSystem
import FreshetWire

/// The location of the server's data, for operators' commands.
struct DataOptions: ParsableArguments {
    @Option(help: DataOptions.folderHelp, completion: .directory)
    var data: String?

    @Flag(help: "Print JSON.")
    var json = false

    static let folderHelp = ArgumentHelp(
        """
        The server's data folder (default: FRESHET_DATA, else freshet-data). A PostgreSQL database is named by the \
        environment variable FRESHET_DATABASE, as for the server.
        """
    )

    var folder: URL { Self.folder(data) }

    /// Returns the database in `FRESHET_DATABASE`; `nil` for the one in the data folder.
    static func database() throws -> PostgresConfiguration? {
        let address = ProcessInfo.processInfo.environment["FRESHET_DATABASE"].flatMap { $0.isEmpty ? nil : $0 }
        do { return try address.map { try PostgresConfiguration($0) } } catch let error as any StartupError {
            throw ToolError(error)
        }
    }

    /// Whether the environment names a server's data folder or database.
    static var isServerNamed: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["FRESHET_DATA", "FRESHET_DATABASE"].contains { !(environment[$0] ?? "").isEmpty }
    }

    static func folder(_ data: String?) -> URL {
        let name = data ?? ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? "freshet-data"
        return URL(filePath: name, directoryHint: .isDirectory)
    }

    /// Checks that a data folder exists: a misspelt one must not be created.
    static func require(_ folder: URL) throws(ToolError) {
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw .storeUnavailable("\(folder.path): there is no such folder")
        }
    }

    /// Opens the data folder for one operation.
    static func withAdminService<Value>(
        _ folder: URL,
        _ body: (AdminService) async throws -> Value
    ) async throws -> Value {
        do {
            let adminService = try AdminService(in: folder, database: try database())
            let value: Value
            do {
                if try database() == nil { try adminService.checkDatabaseIdentity(in: folder) }
                value = try await body(adminService)
            } catch {
                try? adminService.close()
                throw error
            }
            try adminService.close()
            return value
        } catch let error as any StartupError {
            throw ToolError(error)
        } catch let error as ToolError {
            throw error
        } catch {
            if try database() != nil { throw ToolError.storeUnavailable("the database cannot be used: \(error)") }
            throw ToolError.unusable(folder, error)
        }
    }

    /// Returns the account with an e-mail address or an ID.
    static func user(_ email: String, _ adminService: AdminService) throws -> AdminService.Account {
        if let id = UUID(exactly: email) {
            guard let user = try adminService.user(id) else { throw ToolError.usage("no account has the id \(email)") }
            return user
        }
        // The rules may have been others when the account was created.
        guard email.utf8.contains(UInt8(ascii: "@")) else {
            throw ToolError.usage("\(email) is not an e-mail address")
        }
        let address = EmailAddress(email) ?? EmailAddress(stored: email)
        guard let user = try adminService.user(address) else {
            throw ToolError.usage("no account has the address \(address)")
        }
        return user
    }
}
