// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
public import FreshetKit
internal import FreshetOutbox
public import Observation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The screen of a signed-in user: a name that can be changed offline, and the devices that are signed in.
@MainActor @Observable
public final class HomeModel {
    private struct Profile: Codable { var username: String? }

    /// The user's name, which the screen edits.
    public var name = ""
    /// The number of changes that have not reached the server.
    public private(set) var waiting = 0
    /// The user's sessions, one for each device.
    public private(set) var devices: [DeviceSession] = []
    /// The text for the user, empty if nothing is wrong.
    public private(set) var message = ""
    @ObservationIgnored private let account: Account
    private var profile: URL { account.server.appending(path: "v1/me/profile") }

    /// A screen without content.
    public init(_ account: Account) { self.account = account }

    /// Loads name and devices: ordinary requests, to which the session attaches a valid token.
    public func load() async {
        await show {
            let (data, response) = try await account.session.data(for: URLRequest(url: profile))
            if response.statusCode == 200 { name = try JSONDecoder().decode(Profile.self, from: data).username ?? "" }
            devices = try await account.session.devices()
        }
    }

    /// Saves the name, so that it survives a crash; it is sent in order, as this user and no other.
    public func save() async {
        await show {
            var request = URLRequest(url: profile)
            request.httpMethod = "PUT"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(Profile(username: name))
            try await account.outbox.enqueue(request)
        }
    }

    /// Counts the waiting changes until the screen disappears, which cancels the task.
    public func followOutbox() async {
        let events = account.outbox.events
        countChanges()
        for await _ in events { countChanges() }
    }

    private func countChanges() {
        let counts = account.outbox.counts
        waiting = counts.waiting + counts.sending + counts.held
    }

    /// Signs another device out: its next refresh fails, and it shows the sign-in with the reason.
    public func end(_ device: DeviceSession) async {
        await show { try await account.session.endSession(id: device.id) }
        await load()
    }

    /// Signs this device out, also without a network: the server is told when it can be reached.
    public func signOut() async { await show { try await account.session.signOut() } }

    private func show(_ action: () async throws -> Void) async {
        do {
            try await action()
            message = ""
        } catch let error as SessionError {
            message = error.message
        } catch {
            message = "Try again later."  // A URLError: no network; or an OutboxError: no space.
        }
    }
}
