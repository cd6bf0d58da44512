// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetBackends
import FreshetCommandLine
import FreshetContractServer
import FreshetEngine
import FreshetIdentity
import FreshetKit
import FreshetServer
import FreshetSystem
import Logging

/// `freshet serve`: the token server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the token server.",
        discussion: """
            Settings come from the command line, else from the environment (FRESHET_PORT, FRESHET_DATA, \
            FRESHET_ACCESS_TTL ...), else from the JSON file given by --config or FRESHET_CONFIG, such as \
            {"port": 8080, "access-ttl": "10m"}, else from the defaults shown here. Once the server accepts connections it prints one line, "listening on URL", on standard output; \
            the log goes to standard error, one JSON object a line.

            Example:
              freshet serve --port 8080 --data ./freshet-data --access-ttl 10m
              freshet serve --dialect bitbasel --dialect ./app.json=/app
              freshet serve --dialect bitbasel --feed-clock 1s

            With --backend it is none of ours, but the double of an app's backend, for that app's team: on this machine \
            only, in memory, and as faulty as you like. See `freshet serve --backend bitbasel` and POST /__backend/faults.
            """
    )

    @Option(help: "The address to listen on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on; 0 lets the system choose (default: 8080).")
    var port: Int?

    @Option(help: "The folder for database and keys, made if it is missing (default: freshet-data).")
    var data: String?

    @Option(name: .customLong("access-ttl"), help: "How long an access token lives, such as 3s or 10m (default: 10m).")
    var accessTTL: String?

    @Option(name: .customLong("idle-ttl"), help: "How long a session lives unused (default: 30d).")
    var idleTTL: String?

    @Option(name: .customLong("absolute-ttl"), help: "How long a session lives in all (default: 180d).")
    var absoluteTTL: String?

    @Option(name: .customLong("code-ttl"), help: "How long a mailed code lives, 10m at most (default: 10m).")
    var codeTTL: String?

    @Option(help: "The issuer in access tokens; it must stay the same over restarts (default: http://localhost).")
    var issuer: String?

    @Option(help: "The audience in access tokens (default: api).")
    var audience: String?

    @OptionGroup(title: "Operators")
    var operatorPages: OperatorPagesOptions

    @OptionGroup(title: "Sign-in")
    var signIn: ServeSignInOptions

    @Option(
        help: ArgumentHelp(
            "Serves an app's own client as its contract says, under PATH if there is one; may be repeated.",
            valueName: "name[=path]"
        )
    )
    var dialect: [String] = []

    @Option(name: .customLong("apple-keys"), help: "Apple's public keys, a file or an address (default: Apple's).")
    var appleKeys: String?

    @Option(
        name: .customLong("apple-audience"),
        help: "The app whose identity tokens of Apple's are taken, by its bundle or service id; may be repeated."
    )
    var appleAudience: [String] = []

    @Option(
        name: .customLong("rotate-keys"),
        help: "Makes new keys by itself when they are this old, such as 30d (default: never); see `freshet keys`."
    )
    var rotateKeys: String?

    @Option(
        name: .customLong("keys-command"),
        help: ArgumentHelp(
            "A program that prints keys, with arguments between spaces: run every minute and at SIGHUP (default: files).",
            discussion: "FRESHET_KEYS may hold the keys themselves: a JWK set, or PEM.",
            valueName: "program"
        )
    )
    var keysCommand: String?

    @OptionGroup(title: "Database")
    var database: ServeDatabaseOptions

    @Option(
        name: .customLong("oauth-clients"),
        help: "A JSON file with the OAuth clients that are known; see `freshet client-secret`."
    )
    var oauthClients: String?

    @Option(
        name: .customLong("allowed-origin"),
        help: "An origin whose pages may open sockets, such as https://app.example.com; may be repeated."
    )
    var allowedOrigin: [String] = []

    @Option(
        name: .customLong("feed-clock"),
        help: "For development: sends every socket a number this often, such as 1s."
    )
    var feedClock: String?

    @Option(
        help: ArgumentHelp(
            "Serves the double of an app's own backend instead: \(BackendServer.backends.joined(separator: ", ")).",
            valueName: "app"
        )
    )
    var backend: String?

    @Option(
        help:
            "With --backend: a JSON file that says what goes wrong from the start, such as [{\"fault\": \"reply_lost\"}]."
    )
    var faults: String?

    @Option(
        name: .customLong("password-cost"),
        help: "scrypt's cost, from 10 to 20; each step doubles time and memory (default: 15)."
    )
    var passwordCost: Int?

    @Option(
        name: .customLong("log-level"),
        help: "trace, debug (every request), info, notice, warning, error (default: info)."
    )
    var logLevel: String?

    @OptionGroup var operations: OperationsOptions

    @OptionGroup(title: "Pages")
    var pages: ServePagesOptions

    @Option(help: "A JSON file with settings, named as the options are, without dashes in front.")
    var config: String?

    @Flag(help: "Refuse whatever is only fit for development.")
    var production = false

    @Flag(name: .customLong("until-stdin-closes"), help: .hidden)
    var untilStdinCloses = false

    func run() async throws {
        if untilStdinCloses { stopWhenStdinCloses() }
        if let backend { return try await runBackend(backend) }
        guard faults == nil else { throw ToolError.usage("--faults goes with --backend") }
        let (configuration, level, reader) = try settings()
        if operations.printConfig || operations.checkConfig {
            do { try configuration.validate() } catch { throw ToolError(error) }
            let effective = EffectiveSettings(configuration, level: level, reader: reader)
            if operations.printConfig { for line in effective.lines { Output.line(line) } }
            return
        }
        Self.raiseFileLimit()
        var log = Logger(label: "freshet") { JSONLogHandler(label: $0, metadataProvider: .request) }
        log.logLevel = level
        let host = configuration.host
        let server: TokenServer
        do {
            server = try TokenServer(
                configuration,
                log: log,
                onListening: { port in
                    let name = host.contains(":") ? "[\(host)]" : host
                    let scheme = configuration.operations.tls == nil ? "http" : "https"
                    Output.line("listening on \(scheme)://\(name):\(port)")
                    SystemdNotifier.send()
                },
                onMetricsListening: { [log] port in
                    log.notice("metrics are served", metadata: ["port": .stringConvertible(port)])
                },
                onOperatorListening: { [log] port in
                    log.notice("operators' pages are served", metadata: ["port": .stringConvertible(port)])
                }
            )
        } catch let error as any StartupError {
            throw ToolError(error)
        } catch {
            throw ToolError.unusable(configuration.dataDirectory, error)
        }
        do { try await server.run() } catch { throw ToolError.cannotListen(host, configuration.port, error) }
    }

    /// Ends this server when whoever started it is gone, however that came about.
    private func stopWhenStdinCloses() {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            // To the process: one sent to this thread alone would wait for ever, since threads like it block signals.
            kill(getpid(), SIGTERM)
        }
    }

    /// A connection is a file; what the system allows is taken.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func settings() throws -> (ServerConfiguration, Logger.Level, SettingsReader) {
        let own: [String: String?] = [
            "host": host, "port": port.map(String.init), "data": data, "access-ttl": accessTTL,
            "apple-keys": appleKeys, "apple-audience": SettingsReader.text(appleAudience),
            "dialect": SettingsReader.text(dialect),
            "idle-ttl": idleTTL, "absolute-ttl": absoluteTTL, "code-ttl": codeTTL, "issuer": issuer,
            "audience": audience, "password-cost": passwordCost.map(String.init),
            "allowed-origin": SettingsReader.text(allowedOrigin), "feed-clock": feedClock,
            "oauth-clients": oauthClients, "rotate-keys": rotateKeys,
            "keys-command": keysCommand,
            "log-level": logLevel, "production": production ? "true" : nil,
        ]
        let reader = try SettingsReader(
            file: config,
            commandLine: own.merging(operations.commandLine) { $1 }.merging(signIn.settings) { $1 }
                .merging(operatorPages.settings) { $1 }
                .merging(database.settings) { $1 }
                .merging(pages.settings) { $1 }
        )
        var settings = ServerConfiguration(
            dataDirectory: URL(filePath: reader.text("data") ?? "freshet-data", directoryHint: .isDirectory)
        )
        settings.host = reader.text("host") ?? settings.host
        settings.port = try reader.number("port", in: 0...65_535) ?? settings.port
        settings.issuer = reader.text("issuer") ?? settings.issuer
        settings.audience = reader.text("audience") ?? settings.audience
        settings.isProduction = try reader.flag("production")
        let access = try reader.duration("access-ttl")
        let idle = try reader.duration("idle-ttl")
        let absolute = try reader.duration("absolute-ttl")
        settings.lifetimes.access = access ?? settings.lifetimes.access
        settings.lifetimes.idle = idle ?? settings.lifetimes.idle
        settings.lifetimes.absolute = absolute ?? settings.lifetimes.absolute
        settings.lifetimes.code = try reader.duration("code-ttl") ?? settings.lifetimes.code
        settings.passwords.logN = try reader.number("password-cost", in: 10...20) ?? settings.passwords.logN
        settings.contracts = try reader.list("dialect").map { text in
            var contract = try ContractOption(names: Contract.presets, text: Contract.presetText).contract(text)
            contract.setLifetimes(access: access, idle: idle, absolute: absolute)
            return contract
        }
        settings.allowedOrigins = Set(reader.list("allowed-origin"))
        settings.keys.rotation = try reader.duration("rotate-keys")
        settings.keys.source = try reader.keySource()
        settings.database = try ServeDatabaseOptions.read(reader)
        settings.allowsNewDatabase = try reader.flag("new-database")
        settings.lockTimeout = try reader.duration("database-wait") ?? settings.lockTimeout
        settings.oauthClients = reader.text("oauth-clients").map { URL(filePath: $0) }
        settings.feedClock = try reader.duration("feed-clock")
        try ServeSignInOptions.read(reader, into: &settings)
        try OperatorPagesOptions.read(reader, into: &settings.operatorPages)
        try OperationsOptions.read(reader, into: &settings.operations)
        try ServePagesOptions.read(reader, into: &settings.pages)
        return (settings, try reader.choice("log-level") ?? .info, reader)
    }
}
