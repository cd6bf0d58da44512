// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetBackends
import FreshetCommandLine
import FreshetIdentity
import FreshetServer
import FreshetSystem
import Logging

/// `freshet serve`: the token server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the token server.",
        discussion: """
            Each setting comes from the command line, else from the environment (FRESHET_PORT, FRESHET_ACCESS_TTL \
            ...), else from the JSON file given by --config or FRESHET_CONFIG, such as {"port": 8080, "access-ttl": \
            "10m"}, else it has the default shown \
            here. Once the server accepts connections it prints one line, "listening on URL", to \
            standard output. It logs to standard error, one JSON object per line.

            Example:
              freshet serve --port 8080 --data ./freshet-data --access-ttl 10m
              freshet serve --contract bitbasel --contract ./app.json=/app
              freshet serve --contract bitbasel --feed-clock 1s
              freshet serve --dev --access-ttl 2m

            With --dev, for development on loopback, it prints sign-in codes, sessions and refreshes as sentences \
            instead of the JSON log, and on a terminal a key causes a fault: d drops the answer to the next refresh, x \
            expires all access tokens, e ends the newest session.

            With --backend, it runs a fake of an app's own backend instead, for development: on loopback only, in \
            memory, with faults on request: POST /__backend/faults takes {"fault": "reply_lost"} or a list \
            (docs/handbook/contracts.md).
            """
    )

    @OptionGroup(title: NetworkSettings.title) var network: SettingOptions<NetworkSettings>
    @OptionGroup(title: TokenSettings.title) var tokens: SettingOptions<TokenSettings>
    @OptionGroup(title: SignInSettings.title) var signIn: SettingOptions<SignInSettings>
    @OptionGroup(title: MailSettings.title) var mail: SettingOptions<MailSettings>
    @OptionGroup(title: ClientSettings.title) var clients: SettingOptions<ClientSettings>
    @OptionGroup(title: DataSettings.title) var data: SettingOptions<DataSettings>
    @OptionGroup(title: PostgresSettings.title) var postgres: SettingOptions<PostgresSettings>
    @OptionGroup(title: PageSettings.title) var pages: SettingOptions<PageSettings>
    @OptionGroup(title: LimitSettings.title) var limits: SettingOptions<LimitSettings>
    @OptionGroup(title: OperationSettings.title) var operation: SettingOptions<OperationSettings>

    @Option(
        help: "A JSON file with settings; its members are named like the flags, without the dashes.",
        completion: .file()
    )
    var config: String?

    @Flag(name: .customLong("print-config"), help: "Prints every setting and its source, and exits.")
    var printConfig = false

    @Flag(
        name: .customLong("check-config"),
        help: "Checks the settings and the files they name, and exits."
    )
    var checkConfig = false

    @Flag(help: "With --print-config: prints JSON.")
    var json = false

    @Flag(help: "For development: prints events as sentences, and has keys that cause faults.")
    var dev = false

    @Option(
        help: ArgumentHelp(
            "Runs a fake of an app's own backend instead: \(BackendServer.backends.joined(separator: ", ")).",
            valueName: "app"
        ),
        completion: .list(BackendServer.backends)
    )
    var backend: String?

    @Option(
        help: "With --backend: a JSON file with the initial faults, such as [{\"fault\": \"reply_lost\"}].",
        completion: .file()
    )
    var faults: String?

    @Flag(name: .customLong("settings-table"), help: .hidden)
    var settingsTable = false

    @Flag(name: .customLong("until-stdin-closes"), help: .hidden)
    var untilStdinCloses = false

    /// The settings given on the command line, by the name that was used.
    var given: [String: String] {
        [
            network.values, tokens.values, signIn.values, mail.values, clients.values, data.values, postgres.values,
            pages.values, limits.values, operation.values,
        ]
        .reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    func run() async throws {
        if untilStdinCloses { stopWhenStdinCloses() }
        if dev, backend != nil {
            throw ToolError.usage("--dev cannot be used with --backend, which has faults of its own")
        }
        if let backend { return try await runBackend(backend) }
        guard faults == nil else { throw ToolError.usage("--faults needs --backend") }
        guard !json || printConfig || checkConfig else { throw ToolError.usage("--json needs --print-config") }
        if settingsTable { return Output.line(SettingsTable.markdown) }
        let reader = try SettingsReader(file: config, commandLine: given)
        var settings = ServeSettings()
        try reader.apply(to: &settings)
        let configuration = try settings.configuration(reader)
        if printConfig || checkConfig { return try check(configuration, settings, reader) }
        mentionFirstSteps(configuration)
        Self.raiseFileLimit()
        if dev { return try await serveForDevelopment(configuration, settings, reader) }
        var log = Logger(label: "freshet") { JSONLogHandler(label: $0, metadataProvider: .request) }
        log.logLevel = settings.logLevel
        for variable in reader.unknownVariables where variable.suggestion != nil {
            log.warning("an environment variable is ignored", metadata: ["variable": "\(variable)"])
        }
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
            throw ToolError(error, reader)
        } catch {
            throw ToolError.unusable(configuration.dataDirectory, error)
        }
        do { try await server.run() } catch { throw ToolError.cannotListen(host, configuration.port, error) }
    }

    /// Mentions `freshet init` at the first start on a terminal.
    private func mentionFirstSteps(_ configuration: ServerConfiguration) {
        let note = FirstStart.note(
            isTerminal: Terminal.isInteractive,
            hasData: configuration.database != nil
                || FileManager.default.fileExists(atPath: configuration.dataDirectory.path),
            isProduction: configuration.isProduction
        )
        if let note { Output.note(note) }
    }

    /// Checks the settings or prints them, and starts nothing.
    private func check(
        _ configuration: ServerConfiguration,
        _ settings: ServeSettings,
        _ reader: SettingsReader
    ) throws {
        do {
            // Of printed settings, a missing file is no error: another machine may have it.
            if checkConfig {
                try configuration.check(log: Logger(label: "freshet") { _ in SwiftLogNoOpLogHandler() })
            } else {
                try configuration.validate()
            }
        } catch let error as any StartupError {
            throw ToolError(error, reader)
        } catch {
            throw ToolError.unusable(configuration.dataDirectory, error)
        }
        for variable in reader.unknownVariables {
            if checkConfig, variable.suggestion != nil { throw ToolError.usage("\(variable)") }
            Output.note("freshet: \(variable)")
        }
        guard printConfig else { return }
        let effective = EffectiveSettings(values: settings, reader: reader)
        if json { try Output.json(try effective.views()) } else { try effective.lines().forEach(Output.line) }
    }

    /// Stops the server when its parent process has exited or crashed.
    private func stopWhenStdinCloses() {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            // Sent to the process: this thread blocks signals, so a signal to it alone would stay pending.
            kill(getpid(), SIGTERM)
        }
    }

    /// Raises the soft limit of open files to the hard limit, because each connection uses a descriptor.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
