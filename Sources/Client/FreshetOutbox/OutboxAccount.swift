// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// What an outbox keeps for an account that is not signed in.
///
/// It names neither content nor token.
public struct OutboxAccount: Sendable, Equatable, Identifiable {
    /// The outbox's name for the account.
    public let id: String
    /// The user whose items they are; `nil` if the backend had not told the user when they were put down.
    public let userID: String?
    /// The session in which the items were put down, where the user is unknown.
    public let sessionID: String?
    /// The backend's origin, such as `https://api.example.com:443`.
    public let origin: String
    /// Items that wait.
    public let waiting: Int
    /// Dead letters.
    public let dead: Int
    /// The size of the items and dead letters, in bytes.
    public let bytes: Int
    /// When the oldest of them was put down, by the wall clock of then.
    public let oldest: Date

    /// - Returns: `nil` if there is nothing in the folder, or if it is no account's.
    init?(folder name: String, _ listing: OutboxFolder.Listing) {
        let dead = listing.dead ?? []
        let entries = listing.waiting + dead
        guard let (owner, origin) = SessionOwner.owner(ofFolder: name), let oldest = entries.map(\.date).min() else {
            return nil
        }
        id = name
        switch owner {
        case .user(let id): (userID, sessionID) = (id, nil)
        case .session(let id): (userID, sessionID) = (nil, id)
        }
        self.origin = origin
        waiting = listing.waiting.count
        self.dead = dead.count
        bytes = entries.reduce(0) { $0 + $1.bytes }
        self.oldest = oldest
    }
}
