// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Everything that a double knows; changed under its lock alone.
struct BackendState: Sendable {
    var settings: BackendSettings
    var counts = BackendCounts()
    var script = FaultScript()
    var ledger = IssuedTokens()
    var messages: [BackendMessage] = []
    /// Addresses that a code was sent to, and that have not used it.
    var addressesWithCode: Set<String> = []
    /// Users who have signed in.
    var knownUsers: Set<String> = []
    /// The password of each user who signed in with one.
    var passwords: [String: String] = [:]
    /// The names that users gave their profiles; a user without one has no profile.
    var profiles: [String: String] = [:]
    /// The sockets that are open, by number.
    var sockets: [Int: BackendSocket] = [:]
    var lastSocket = 0
    /// The texts that clients sent over their sockets.
    var socketMessages: [String] = []
    /// Tests that wait for a state, by number.
    var watchers: [Int: BackendWatcher] = [:]
    var lastWatcher = 0
    /// Answers that wait for their release.
    var held: [PendingReply] = []
    /// What the backend's clock shows, in seconds since 1970.
    var clock = 0.0
    /// The latest requests, the oldest first.
    private(set) var exchanges: [BackendExchange] = []

    init(_ settings: BackendSettings) { self.settings = settings }

    /// Remembers and counts a request; `isGranted` is whether the backend did what it was asked to.
    mutating func record(_ exchange: BackendExchange, isGranted: Bool) {
        // A double that is left running must not fill the memory.
        if exchanges.count >= 2 * AppBackend.retainedExchanges {
            exchanges.removeFirst(AppBackend.retainedExchanges)
        }
        exchanges.append(exchange)
        counts.add(exchange, isGranted: isGranted)
    }

    /// Removes the watchers whose condition is met now, and returns them.
    mutating func takeMetWatchers() -> [BackendWatcher] {
        guard !watchers.isEmpty else { return [] }
        let met = watchers.keys.sorted().filter { watchers[$0]?.isMet(self) == true }
        return met.compactMap { watchers.removeValue(forKey: $0) }
    }

    /// The names of the tokens that come with a request.
    func tokens(in request: BackendRequest) -> [String] {
        var names: [String] = []
        for name in request.words.compactMap({ ledger.name(of: $0) }) where !names.contains(name) { names.append(name) }
        return names.isEmpty && request.bearer != nil ? ["unknown"] : names
    }
}
