// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// The model of the screen with the notes.
@MainActor
public final class NotesModel {
    /// The content of the screen.
    public enum Screen: Equatable, Sendable {
        case empty
        case loading
        case notes([String], owner: String)
        /// The session has ended: the sign-in, with the reason for the user.
        case signIn(String)
        /// The previous content stays; the user may try again.
        case failed(String)
    }

    /// The current content of the screen.
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
