// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

/// The stored items of an account that is not signed in.
///
/// Contains no content and no token.
public struct OutboxAccount: Sendable, Equatable, Identifiable {
    /// The outbox's ID of the account.
    public let id: String
    /// The items' user; `nil` if the backend had not sent the user's ID when they were enqueued.
    public let userID: String?
    /// The session in which the items were enqueued, if the user is unknown.
    public let sessionID: String?
    /// The backend's origin, such as `https://api.example.com:443`.
    public let origin: String
    /// The number of waiting items.
    public let waiting: Int
    /// The number of dead letters.
    public let dead: Int
    /// The size of the items and dead letters, in bytes.
    public let bytes: Int
    /// The time at which the oldest of them was enqueued, by the wall clock at that time.
    public let oldest: Date

    /// Creates the account of a folder; `nil` if the folder is empty, or does not belong to an account.
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
