// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox
import FreshetTesting
import Notes
import Testing

// snippet.hide
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The tests of the app, by Swift Testing; NotesXCTests has some of them for XCTest.
// snippet.show
@Suite(.timeLimit(.minutes(5))) @MainActor struct `The notes app` {
    @Test func `the app shows the sign-in when the server has ended the session`() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.backend.endSessions()
        await model.load()
        #expect(model.screen == .signIn("Signed out. The server revoked the session."))
    }

    @Test func `the app shows the notes although the response to the refresh is lost`() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.clock.advance(by: .seconds(3600))
        device.backend.fail(.replyLost, .status(503), .html())
        // The session pauses between two attempts, and only the test advances its clock.
        await device.clock.skipPauses { await model.load() }
        #expect(model.screen == .notes([], owner: "u-ann@example.com"))
        #expect(device.backend.counts.refreshes == 4)
    }
    // snippet.hide

    @Test func `the app shows the notes with an expired token, after one refresh`() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.clock.advance(by: .seconds(3600))
        await model.load()
        guard case .notes([], _) = model.screen else {
            Issue.record("\(model.screen)")
            return
        }
        #expect(device.backend.counts.refreshes == 1)
    }

    @Test func `the app shows no notes to a user who signed out while they were loading`() async throws {
        let device = try Device()
        let transport = ManualTransport()
        let session = try await device.signedIn(transport)
        let model = NotesModel(client: device.client(session))
        device.clock.advance(by: .seconds(3600))
        async let loading: Void = model.load()
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(model.screen == .loading)
        let states = session.states
        let signOut = Task { try await session.signOut() }
        defer { signOut.cancel() }
        for await state in states where state == .signedOut(.requested) { break }
        refresh.answer(from: device.backend)
        await loading
        #expect(model.screen == .signIn("Signed out. You signed out."))
        #expect(session.state == .signedOut(.requested))
    }

    @Test func `the app shows each of two accounts its own notes`() async throws {
        let device = try Device()
        let accounts = SessionDirectory(stores: InMemoryStores()) { [device] store throws(SessionError) in
            try AuthSession(
                baseURL: device.baseURL,
                store: store,
                transport: device.backend,
                clock: device.clock
            )
        }
        var owners: Set<String> = []
        for name in ["ann", "bob"] {
            let session = try accounts.session(named: name)
            try await session.signIn(.password(email: "\(name)@example.com", password: "secret"))
            let model = NotesModel(client: device.client(session))
            await model.load()
            if case .notes(_, let owner) = model.screen { owners.insert(owner) }
        }
        #expect(owners.count == 2)
        try await accounts.remove("ann")
        let (ann, bob) = (try accounts.session(named: "ann"), try accounts.session(named: "bob"))
        let model = NotesModel(client: device.client(ann))
        await model.load()
        #expect(model.screen == .signIn("Signed out. You signed out."))
        #expect(bob.state == .active)
    }

    @Test func `the app sends a note that was written offline, once, when the network is back`() async throws {
        let device = try Device()
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = try await device.signedIn()
        let outbox = try session.outbox(directory: folder)
        let events = outbox.events
        device.backend.fail(.requestLost, .requestLost, at: .api, times: 1)
        let note = try device.client(session).request(adding: "milk")
        try await device.clock.skipPauses {
            try await outbox.enqueue(note)
            for await event in events { if case .delivered(status: 201) = event.kind { break } }
        }
        #expect(device.backend.exchanges.filter { $0.request.path == "/items" }.map(\.status) == [201])
        #expect(outbox.counts.waiting == 0)
    }

    @Test func `the app opens its socket again with a new token when the connection breaks`() async throws {
        let device = try Device()
        let session = try await device.signedIn()
        let sockets = ManualWebSocketTransport(clock: device.clock)
        let socket = try session.socket(transport: sockets)
        await socket.connect()
        let first = try await sockets.next()
        let connection = first.accept()
        for await state in socket.states { if case .open = state { break } }
        device.clock.advance(by: .seconds(1800))
        let second = try await device.clock.skipPauses {
            connection.lose()
            return try await sockets.next()
        }
        #expect(first.bearer != nil && second.bearer != nil && first.bearer != second.bearer)
        #expect(device.backend.counts.refreshes == 1)
        second.accept()
        await socket.close()
    }

    @Test func `the app keeps its user signed in for three weeks in the foreground`() async throws {
        let device = try Device()
        let session = try await device.signedIn()
        session.enterForeground()
        await device.clock.run(for: .seconds(21 * 86_400))
        #expect(session.state == .active)
        // Every token was replaced ahead of its expiry, at its own time.
        let lifetime = Duration.seconds(device.backend.lifetime)
        #expect(device.backend.counts.refreshes >= Int(.seconds(21 * 86_400) / lifetime))
        #expect(session.statistics.late == 0)
        let model = NotesModel(client: device.client(session))
        await model.load()
        guard case .notes = model.screen else {
            Issue.record("\(model.screen)")
            return
        }
    }
    // snippet.show
}
