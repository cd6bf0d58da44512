// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import FreshetEngine
import FreshetServer
import FreshetSystem
import Logging

extension ServeCommand {
    /// Runs the server for development: its events as lines, and the fault switches on a terminal.
    func serveForDevelopment(
        _ configuration: ServerConfiguration,
        _ settings: ServeSettings,
        _ reader: SettingsReader
    ) async throws {
        if let refusal = DevelopmentMode.refusal(configuration) { throw ToolError.usage(refusal) }
        let console = DevelopmentConsole()
        let (host, port) = (configuration.host, configuration.port)
        let relay: DevelopmentRelay
        do { relay = try await DevelopmentRelay.open(host: host, port: port, drops: console.drops) } catch {
            throw ToolError.cannotListen(host, port, error)
        }
        let threshold = reader.label(ofGiven: "log-level") == nil ? .warning : settings.logLevel
        let log = Logger(label: "freshet") { _ in DevelopmentLogHandler(threshold: threshold, write: console.line) }
        var environment = ServerEnvironment()
        environment.eventListeners = [console.record]
        environment.accessTokenCheck = console.accepts
        // Clients reach the server through the relay only.
        var inner = configuration
        (inner.host, inner.port) = ("127.0.0.1", 0)
        // The limit of open files of a developer's shell is often lower than a server's.
        if reader.label(ofGiven: "max-connections") == nil { inner.operations.admission.connections = 100 }
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server: TokenServer
        do {
            server = try TokenServer(inner, log: log, environment: environment, onListening: { listening.yield($0) })
        } catch let error as any StartupError {
            throw ToolError(error, reader)
        } catch {
            throw ToolError.unusable(configuration.dataDirectory, error)
        }
        let typing = Task {
            guard let inner = await ports.first(where: { _ in true }) else { return }
            relay.forward(to: inner)
            let keys = Terminal.isInteractive && !untilStdinCloses ? KeyInput() : nil
            defer { keys?.restore() }
            Output.line("listening on http://\(host.contains(":") ? "[\(host)]" : host):\(relay.port)")
            guard let keys else { return }
            console.line(FaultSwitches.help)
            for await key in keys.keys { await Self.perform(console.press(key), on: server, console) }
        }
        do { try await server.run() } catch { throw ToolError.cannotListen(host, port, error) }
        typing.cancel()
        // The terminal's mode is restored before the process exits.
        await typing.value
        await relay.close()
    }

    private static func perform(
        _ action: FaultSwitches.Action?,
        on server: TokenServer,
        _ console: DevelopmentConsole
    ) async {
        switch action {
        case nil: return
        // As Ctrl-C does, so that requests under way are answered.
        case .stop: kill(getpid(), SIGTERM)
        case .end(let session, let user):
            do {
                if try await server.endSession(session, of: user) { return }
                console.line("Session \(session) had ended already.")
            } catch {
                console.line("Session \(session) could not be ended: \(error)")
            }
        }
    }
}
