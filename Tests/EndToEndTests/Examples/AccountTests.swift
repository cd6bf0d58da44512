// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AccountModel
import Foundation
import FreshetKit
import FreshetOutbox
import Observation
import Testing

/// The models of Examples/Account, on devices of one user, at a real server.
@Suite(.timeLimit(.minutes(5)))
@MainActor struct `The account app` {
    private let email = "ann@example.com"

    /// An installation of the app, whose files survive its process.
    private struct Device {
        let server: RunningServer
        let name: String
        let network = FaultyAppNetwork()

        /// Launches the app.
        func launch() throws -> Account {
            let folder = server.folder.appending(path: name)
            return try Account(
                server: try #require(URL(string: server.address)),
                store: FileStore(directory: folder, name: "session"),
                folder: folder.appending(path: "outbox"),
                transport: network
            )
        }
    }

    private func signedIn(_ device: Device) async throws -> Account {
        let account = try device.launch()
        let screen = SignInModel(account)
        screen.email = email
        await screen.sendCode()
        #expect(screen.isCodeSent && screen.message.isEmpty)
        screen.code = try device.server.code(for: email)
        await screen.signIn()
        #expect(screen.message.isEmpty)
        #expect(account.session.state == .active)
        return account
    }

    @Test func `the account app reports a wrong code, and signs in with the emailed code`() async throws {
        try await RunningServer.run([]) { server in
            let device = Device(server: server, name: "phone")
            let account = try device.launch()
            let screen = SignInModel(account)
            screen.email = email
            await screen.sendCode()
            let code = try server.code(for: email)
            screen.code = code == "000000" ? "000001" : "000000"
            await screen.signIn()
            #expect(!screen.message.isEmpty && account.session.state == .signedOut(nil))
            screen.code = code
            await screen.signIn()
            #expect(screen.message.isEmpty && account.session.state == .active)
        }
    }

    @Test func `the account app lists two devices, and the device that the user signs out gets the reason`()
        async throws
    {
        try await RunningServer.run([]) { server in
            let phone = try await signedIn(Device(server: server, name: "phone"))
            let tablet = try await signedIn(Device(server: server, name: "tablet"))
            let screen = HomeModel(phone)
            await screen.load()
            #expect(screen.devices.count == 2 && screen.devices.filter(\.isCurrent).count == 1)
            await screen.end(try #require(screen.devices.first { !$0.isCurrent }))
            #expect(screen.devices.map(\.isCurrent) == [true])

            let ended = HomeModel(tablet)
            await ended.load()
            #expect(tablet.session.state == .signedOut(.revokedByUser))
            #expect(ended.message.isEmpty)  // The sign-in screen has the reason.
            #expect(phone.session.state == .active)
        }
    }

    @Test func `the account app delivers a name that was saved offline after the next launch`() async throws {
        try await RunningServer.run([]) { server in
            let device = Device(server: server, name: "phone")
            try await {
                let account = try await signedIn(device)
                device.network.setOff(true)
                let screen = HomeModel(account)
                let events = account.outbox.events
                screen.name = "Ann"
                await screen.save()
                #expect(screen.message.isEmpty)
                for await event in events { if case .retrying = event.kind { break } }
                #expect(account.outbox.counts.waiting + account.outbox.counts.sending == 1)
                await screen.load()
                #expect(screen.message == "Try again later." && account.session.state.isSignedIn)
            }()
            device.network.setOff(false)
            let account = try device.launch()
            let screen = HomeModel(account)
            let counting = Task { await screen.followOutbox() }
            await account.outbox.flush()
            #expect(account.outbox.counts.waiting == 0)
            while screen.waiting != 0 {
                await withCheckedContinuation { changed in
                    withObservationTracking {
                        _ = screen.waiting
                    } onChange: {
                        changed.resume()
                    }
                }
            }
            counting.cancel()

            // Another device reads it from the server.
            let other = HomeModel(try await signedIn(Device(server: server, name: "tablet")))
            await other.load()
            #expect(other.name == "Ann")
        }
    }

    @Test func `the account app signs out without a network, and notifies the server later`() async throws {
        try await RunningServer.run([]) { server in
            let device = Device(server: server, name: "phone")
            let phone = try await signedIn(device)
            let tablet = HomeModel(try await signedIn(Device(server: server, name: "tablet")))
            device.network.setOff(true)
            let screen = HomeModel(phone)
            await screen.signOut()
            #expect(phone.session.state == .signedOut(.requested) && phone.session.status.hasPendingLogout)
            device.network.setOff(false)
            await phone.session.deliverPendingLogouts()
            await tablet.load()
            #expect(tablet.devices.map(\.isCurrent) == [true])
        }
    }
}
