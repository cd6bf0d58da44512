// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetKit
import FreshetNIO
import FreshetServer

/// Which account a command acts for: a server's address and a store, under one name.
struct Profile {
    /// What is kept of a profile beside its session.
    ///
    /// An attempt's bits are a secret: whoever has them and the code signs in.
    struct Settings: Codable {
        var server: URL
        /// A code is on its way, and `login --code` will finish.
        var attempt: EmailCodeAttempt?
    }

    let name: String
    /// Takes the place of both folders of the user's, for the demo.
    var base: URL?
    /// How long a command tries to get a token.
    var patience = Duration.seconds(10)

    /// Where the settings lie (XDG Base Directory Specification).
    private var settingsFile: URL {
        folder("XDG_CONFIG_HOME", else: ".config").appending(path: "profile-\(name).json")
    }

    /// The session's store.
    var store: FileStore {
        FileStore(directory: folder("XDG_STATE_HOME", else: ".local/state"), name: name)
    }

    /// What `login` saved.
    ///
    /// - Throws: `signInNeeded` if nobody ever signed in under this name.
    func settings() throws -> Settings {
        guard let data = try? Data(contentsOf: settingsFile) else {
            throw ToolError.signInNeeded("no profile \(name); sign in with: freshet login --server URL --email ADDRESS")
        }
        do { return try JSONDecoder().decode(Settings.self, from: data) } catch {
            throw ToolError.usage("\(settingsFile.path): not a profile")
        }
    }

    func save(_ settings: Settings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(settings)
        do {
            try FileManager.default.createDirectory(
                at: settingsFile.deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try PrivateFiles.replace(settingsFile, with: Array(data))
        } catch {
            throw ToolError.storeUnavailable("\(settingsFile.path): \(error)")
        }
    }

    /// The profile's session.
    func session() throws -> Session { try session(at: settings().server) }

    func session(at server: URL) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.device.name = ProcessInfo.processInfo.hostName
        configuration.device.app = "freshet"
        configuration.patience = patience
        configuration.refreshDeadline = min(configuration.refreshDeadline, patience)
        do {
            return try Session(
                baseURL: server,
                store: store,
                configuration: configuration,
                transport: NIOTransport()
            )
        } catch {
            // Nothing was asked yet, so it is the address that is at fault.
            guard case .contractFault(let fault) = error else { throw ToolError(error) }
            throw ToolError.usage("\(server.absoluteString): \(fault)")
        }
    }

    private func folder(_ variable: String, else path: String) -> URL {
        if let base { return base.appending(path: "freshet") }
        let environment = ProcessInfo.processInfo.environment
        if let base = environment[variable], base.hasPrefix("/") {
            return URL(filePath: base, directoryHint: .isDirectory).appending(path: "freshet")
        }
        return FileManager.default.homeDirectoryForCurrentUser.appending(path: path).appending(path: "freshet")
    }
}

/// The options that every command with a session has.
struct ProfileOptions: ParsableArguments {
    @Option(help: "Which account to act for.")
    var profile = ProcessInfo.processInfo.environment["FRESHET_PROFILE"] ?? "default"

    @Option(help: "How long to try to reach the server, such as 500ms or 2m (default: 10s).", transform: length)
    var timeout = Duration.seconds(10)

    @Flag(help: "Print JSON.")
    var json = false

    var value: Profile { Profile(name: profile, patience: timeout) }

    private static func length(_ text: String) throws -> Duration {
        guard let length = Duration(text: text), length > .zero else {
            throw ValidationError("\(text) is no length of time such as 500ms, 10s or 2m")
        }
        return length
    }

    func validate() throws {
        let isPlain = profile.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard isPlain, let first = profile.first, first != "." else {
            throw ValidationError("a profile's name has letters, digits, dots, hyphens and underscores")
        }
    }
}
