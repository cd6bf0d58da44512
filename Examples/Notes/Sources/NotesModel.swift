// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// What the screen with the notes shows.
@MainActor
public final class NotesModel {
    /// What is on the screen.
    public enum Screen: Equatable, Sendable {
        case empty
        case loading
        case notes([String], owner: String)
        /// The session has ended: the sign-in, with the reason for the user.
        case signIn(String)
        /// What was there stays; the user may try again.
        case failed(String)
    }

    /// What is on the screen now.
    public private(set) var screen = Screen.empty
    private let client: NotesClient

    /// A model without notes.
    public init(client: NotesClient) { self.client = client }

    /// Loads the notes.
    public func load() async {
        screen = .loading
        do {
            let (owner, notes) = try await client.notes()
            screen = .notes(notes, owner: owner)
        } catch let error as SessionError {
            if case .signedOut = error { screen = .signIn("\(error)") } else { screen = .failed("\(error)") }
        } catch {
            screen = .failed("\(error)")
        }
    }
}
