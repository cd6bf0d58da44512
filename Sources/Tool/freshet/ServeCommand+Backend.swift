// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetBackends
import FreshetCommandLine
import FreshetSystem
import Logging

extension ServeCommand {
    /// Serves the double of an app's backend, with the few settings that concern it.
    func runBackend(_ name: String) async throws {
        for (option, isGiven) in [
            ("--host", host != nil), ("--data", data != nil), ("--dialect", !dialect.isEmpty),
            ("--absolute-ttl", absoluteTTL != nil), ("--code-ttl", codeTTL != nil), ("--issuer", issuer != nil),
            ("--audience", audience != nil), ("--mail", signIn.mail != nil), ("--apple-keys", appleKeys != nil),
            ("--apple-audience", !appleAudience.isEmpty), ("--production", production), ("--config", config != nil),
            ("--password-cost", passwordCost != nil), ("--allowed-origin", !allowedOrigin.isEmpty),
            ("--feed-clock", feedClock != nil), ("--oauth-clients", oauthClients != nil),
            ("--rotate-keys", rotateKeys != nil), ("--keys-command", keysCommand != nil),
            ("a setting of operations", operations.isGiven),
            ("--operator-listen", operatorPages.operatorListen != nil),
            ("a setting of pages", pages.settings.values.contains { $0 != nil }),
        ] where isGiven {
            throw ToolError.usage("\(option) does not go with --backend: it is a double, and not our server")
        }
        let reader = try SettingsReader(
            file: nil,
            commandLine: [
                "port": port.map(String.init), "access-ttl": accessTTL, "idle-ttl": idleTTL, "log-level": logLevel,
            ]
        )
        var configuration = BackendServerConfiguration(
            backend: name,
            port: try reader.number("port", in: 0...65_535) ?? 8080
        )
        configuration.accessLifetime = try reader.duration("access-ttl")
        configuration.refreshLifetime = try reader.duration("idle-ttl")
        if let faults {
            guard let script = try? Data(contentsOf: URL(filePath: faults)) else {
                throw ToolError.usage("faults: \(faults) cannot be read")
            }
            configuration.faults = script
        }
        var log = Logger(label: "freshet-backend") { JSONLogHandler(label: $0) }
        log.logLevel = try reader.choice("log-level") ?? .info
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
