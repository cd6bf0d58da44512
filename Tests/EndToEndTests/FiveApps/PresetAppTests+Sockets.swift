// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetNIO
import Testing

@testable import FreshetKit

extension FiveApp {
    /// The apps whose contracts describe a socket.
    static let withSockets = allCases.filter { (try? Contract.named($0.rawValue))?.document.socket != nil }
}

extension `The SDK with the apps' presets` {
    @Test(arguments: FiveApp.withSockets, AppDeployment.Kind.allCases)
    func `a socket closes with its session, and opens again after a forced sign-in`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            let socket = try preset.session.socket(transport: NIOWebSocketTransport())
            do {
                try await open(socket)
                await receive(socket, at: preset.place)

                try await preset.place.endSessions(of: preset.tokens.access)
                await #expect(throws: SessionError.self) { try await preset.call() }
                let forced = await closeReason(of: socket)
                guard case .signedOut(let reason?) = forced, reason != .requested else {
                    Issue.record("closed for another reason: \(String(describing: forced))")
                    return await socket.close()
                }

                try await preset.signIn()
                try await open(socket)
                await receive(socket, at: preset.place)
                try await preset.session.signOut()
                #expect(await closeReason(of: socket) == .signedOut(.requested))
            } catch {
                await socket.close()
                throw error
            }
            await socket.close()
        }
    }

    /// A contract without a socket names no path to connect to, because the app's description has none.
    @Test(arguments: FiveApp.allCases)
    func `a session cannot open a socket that its app's contract does not describe`(app: FiveApp) throws {
        let contract = try Contract.named(app.rawValue)
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let session = try AuthSession(contract: contract, baseURL: url, store: InMemoryStore())
        if FiveApp.withSockets.contains(app) {
            _ = try session.socket(transport: NIOWebSocketTransport())
        } else {
            let reason = SessionError.unsupported(.socket(contract: contract.name))
            #expect(throws: reason) { try session.socket(transport: NIOWebSocketTransport()) }
            let fact = contract.document.facts.first { $0.name == "websocket" }?.fact
            #expect(fact?.text.hasSuffix("none") == true && fact?.checked == [.source])
        }
    }

    /// Connects, and waits until messages can flow.
    private func open(_ socket: SessionSocket) async throws {
        await socket.connect()
        let settled = await socket.states.first { state in
            switch state {
            case .open, .waiting: true
            default: false
            }
        }
        guard case .open = settled else {
            throw SocketFault(state: String(describing: settled))
        }
    }

    private struct SocketFault: Error { var state: String }

    private func closeReason(of socket: SessionSocket) async -> SocketCloseReason? {
        let end = await socket.states.first { if case .closed = $0 { true } else { false } }
        guard case .closed(let reason) = end else { return nil }
        return reason
    }

    /// Waits for a message: our server's feed sends them by itself, a fake when it is told to.
    private func receive(_ socket: SessionSocket, at place: AppDeployment) async {
        await withThrowingTaskGroup(of: Void.self) { group in
            if place.kind == .fake {
                // The client may know of the handshake before the fake counts the socket as open.
                group.addTask {
                    while !Task.isCancelled {
                        _ = try await place.server.send("POST", "/__backend/sockets", json: ["send": "hello"])
                    }
                }
            }
            #expect(await socket.messages.first { _ in true } != nil)
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) {
                    #expect((error as? URLError)?.code == .cancelled)
                }
            }
        }
    }
}
