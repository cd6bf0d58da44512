// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetKit
import FreshetNIO
import FreshetSystem
import FreshetWire

/// A server's address and a session store under one name.
struct Profile {
    /// The settings of a profile, stored next to its session.
    ///
    /// An attempt is a secret, because it and the code suffice to sign in. The values of the contract may be secrets,
    /// too.
    struct Settings: Codable, Masked {
        var server: URL
        /// The contract of the backend; `nil` for Freshet's own.
        var contract: ContractChoice?
        /// The values of the contract's variables and secrets.
        var values: [String: String]?
        /// The kind of the session's store; `nil` in older profiles, whose session is stored in a file.
        var store: StoreKind?
        /// The path of the file with the certificate authorities to trust; `nil` for the system's.
        var authorities: String?
        /// The address at which a mailed code last signed the user in.
        var provedAddress: String?
        /// The pending sign-in by code, which `login --code` completes.
        var attempt: EmailCodeAttempt?

        var mask: String { "Profile.Settings(\(server.absoluteString), •••)" }

        var storeKind: StoreKind { store ?? .plainFile }

        /// Returns the contract of the backend.
        func description() throws -> Contract { try contract?.contract() ?? .freshet }

        /// Returns the settings, with those on the command line applied.
        ///
        /// Values belong to a contract, so another contract starts without values.
        func replacing(contract: ContractChoice?, values: [String: String]) -> Settings {
            var settings = self
            let isOther = contract.map { $0 != self.contract } ?? false
            let merged = (isOther ? [:] : self.values ?? [:]).merging(values) { $1 }
            settings.contract = contract ?? self.contract
            settings.values = merged.isEmpty ? nil : merged
            return settings
        }
    }

    let name: String
    /// A folder that replaces both of the user's folders, for the demo.
    var base: URL?
    /// The maximum time in which a command tries to get a token.
    var timeout = Duration.seconds(10)
    /// The contract on the command line, which overrides the one that `login` saved.
    var contract: String?
    var values: [String: String] = [:]
    /// The authorities on the command line, which override those that `login` saved.
    var authorities: String?

    /// The path of the settings (XDG Base Directory Specification).
    private var settingsFile: URL {
        folder("XDG_CONFIG_HOME", else: ".config").appending(path: "profile-\(name).json")
    }

    /// Returns the session's store of a kind.
    func store(_ kind: StoreKind) throws(ToolError) -> any SessionStore {
        try kind.store(named: name, in: folder("XDG_STATE_HOME", else: ".local/state"))
    }

    /// Returns the settings that `login` saved, with those on the command line applied.
    ///
    /// - Throws: `signInNeeded` if no user has signed in with this profile.
    func settings() throws -> Settings { try applying(saved()) }

    /// Returns settings with those on the command line applied.
    func applying(_ settings: Settings) throws -> Settings {
        var applied = settings.replacing(contract: try contract.map { try ContractChoice($0) }, values: values)
        applied.authorities = authorities ?? settings.authorities
        return applied
    }

    private func saved() throws -> Settings {
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
            throw ToolError.storeUnavailable("\(settingsFile.path): \(ToolError.reason(of: error))")
        }
    }

    /// Returns the profile's session.
    func session() throws -> AuthSession { try session(with: settings()) }

    func session(with settings: Settings) throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.device.name = ProcessInfo.processInfo.hostName
        configuration.device.app = "freshet"
        configuration.refreshPolicy.callerTimeout = timeout
        configuration.refreshPolicy.attemptTimeout = min(configuration.refreshPolicy.attemptTimeout, timeout)
        configuration.contractValues = ContractValues(settings.values ?? [:])
        let contract = try settings.description()
        try configuration.contractValues.checkUsage(of: contract)
        let store = try store(settings.storeKind)
        if let file = settings.authorities {
            let source = file == authorities ? "--cacert" : "profile \(name)"
            NIOTransport.trust(TrustedAuthorities(file: file, source: source))
        }
        do throws(SessionError) {
            let session = try AuthSession(
                contract: contract,
                baseURL: settings.server,
                store: store,
                configuration: configuration,
                transport: NIOTransport()
            )
            SessionMetrics.follow(session)
            return session
        } catch {
            // No request has been sent yet, so the address is the cause.
            guard case .misconfigured(let fault) = error else { throw ToolError(error) }
            throw ToolError.usage("\(settings.server.absoluteString): \(fault)")
        }
    }

    private func folder(_ variable: String, else path: String) -> URL {
        if let base { return base.appending(path: "freshet") }
        let environment = ProcessInfo.processInfo.environment
        if let base = environment[variable], base.hasPrefix("/") {
            return URL(filePath: base, directoryHint: .isDirectory).appending(path: "freshet")
        }
        // Foundation reads the home folder from the user database, whatever HOME says.
        let home = environment["HOME"].flatMap {
            $0.hasPrefix("/") ? URL(filePath: $0, directoryHint: .isDirectory) : nil
        }
        return (home ?? FileManager.default.homeDirectoryForCurrentUser)
            .appending(path: path).appending(path: "freshet")
    }
}

/// The name of a profile, for commands that need no server.
struct ProfileName: ParsableArguments {
    @Option(help: "The profile of the account to use.")
    var profile = ProcessInfo.processInfo.environment["FRESHET_PROFILE"] ?? "default"

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let isPlain = profile.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard isPlain, let first = profile.first, first != "." else {
            throw ValidationError("a profile's name must consist of letters, digits, dots, hyphens and underscores")
        }
    }
}

/// The options of every command that may ask the server of a session.
struct ProfileOptions: ParsableArguments {
    @OptionGroup var name: ProfileName

    @Option(
        help: "The time within which the server must respond, such as 500ms or 2m (default: 10s).",
        transform: Duration.timeout
    )
    var timeout = Duration.seconds(10)

    @Option(
        help: """
            The backend's contract: the name of a preset or a file. `login` stores it in the profile (default: freshet).
            """
    )
    var contract: String?

    @Option(
        help: """
            A value for a variable or secret of the contract: NAME=VALUE, or NAME=@FILE; may be repeated. `login` \
            stores it in the profile.
            """,
        transform: NamedValue.read
    )
    var set: [NamedValue] = []

    @OptionGroup var trust: TrustOptions

    var json: Bool { name.json }

    var value: Profile {
        Profile(name: name.profile, timeout: timeout, contract: contract, values: set.byName, authorities: trust.path)
    }
}
