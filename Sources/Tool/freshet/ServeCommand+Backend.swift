// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetBackends
import FreshetCommandLine
import FreshetServer
import FreshetSystem
import Logging

extension ServeCommand {
    /// The settings that a fake backend has.
    private static let backendSettings: Set = ["port", "access-ttl", "idle-ttl", "log-level"]

    /// Runs a fake of an app's backend, with the few settings that apply to it.
    func runBackend(_ name: String) async throws {
        var others = given.keys.filter { !Self.backendSettings.contains($0) }.sorted()
        if config != nil { others.append("config") }
        if printConfig { others.append("print-config") }
        if checkConfig { others.append("check-config") }
        if json { others.append("json") }
        if let other = others.first {
            throw ToolError.usage("--\(other) cannot be used with --backend: a fake backend does not have this setting")
        }
        let reader = try SettingsReader(
            ServeSettings.all.filter { Self.backendSettings.contains($0.name) },
            file: nil,
            commandLine: given
        )
        var settings = ServeSettings()
        try reader.apply(to: &settings)
        var configuration = BackendServerConfiguration(backend: name, port: settings.server.port)
        configuration.accessLifetime = settings.tokens.access
        configuration.refreshLifetime = settings.tokens.idle
        if let faults {
            guard let script = try? Data(contentsOf: URL(filePath: faults)) else {
                throw ToolError.usage("--faults: '\(faults)' cannot be read")
            }
            configuration.faults = script
        }
        var log = Logger(label: "freshet-backend") { JSONLogHandler(label: $0) }
        log.logLevel = settings.logLevel
        let server: BackendServer
        do throws(BackendServerError) {
            server = try BackendServer(configuration, log: log) { url in Output.line("listening on \(url)") }
        } catch {
            throw ToolError.usage("\(error)")
        }
        do { try await server.runService() } catch {
            throw ToolError.cannotListen("127.0.0.1", configuration.port, error)
        }
    }
}
