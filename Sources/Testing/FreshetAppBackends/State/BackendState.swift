// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetTesting

/// The state of a fake backend, changed only under its lock.
struct BackendState: Sendable {
    /// The minimum number of requests that are kept.
    static let retainedExchanges = 1000

    var settings: BackendSettings
    var counts = BackendCounts()
    var script = FaultScript()
    var ledger = IssuedTokens()
    var messages: [BackendMessage] = []
    /// Addresses with an unused e-mail code.
    var addressesWithCode: Set<String> = []
    /// Users who have signed in at least once.
    var knownUsers: Set<String> = []
    /// Passwords by user, for users who signed in with one.
    var passwords: [String: String] = [:]
    /// Profile names by user; a user without one has no profile.
    var profiles: [String: String] = [:]
    /// Open sockets by number.
    var sockets: [Int: BackendSocket] = [:]
    var lastSocket = 0
    /// The text messages that clients sent over their sockets.
    var socketMessages: [String] = []
    /// Tests that wait for a state, by number.
    var watchers: [Int: BackendWatcher] = [:]
    var lastWatcher = 0
    /// Responses that wait for their release.
    var held: [PendingReply] = []
    /// The backend's clock, in seconds since 1970.
    var clock = 0.0
    /// The latest requests, the oldest first.
    private(set) var exchanges: [BackendExchange] = []

    init(_ settings: BackendSettings) { self.settings = settings }

    /// Stores and counts a request; `isGranted` is whether the backend did what was requested.
    mutating func record(_ exchange: BackendExchange, isGranted: Bool) {
        // Bounds the memory of a fake backend that keeps running.
        if exchanges.count >= 2 * Self.retainedExchanges {
            exchanges.removeFirst(Self.retainedExchanges)
        }
        exchanges.append(exchange)
        counts.add(exchange, isGranted: isGranted)
    }

    /// Removes and returns the watchers whose condition holds now.
    mutating func takeMetWatchers() -> [BackendWatcher] {
        guard !watchers.isEmpty else { return [] }
        let met = watchers.keys.sorted().filter { watchers[$0]?.isMet(self) == true }
        return met.compactMap { watchers.removeValue(forKey: $0) }
    }

    /// Returns the names of the tokens in a request.
    func tokens(in request: BackendRequest) -> [String] {
        var names: [String] = []
        for name in request.possibleTokens.compactMap({ ledger.name(of: $0) }) where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty && request.bearer != nil ? ["unknown"] : names
    }
}
