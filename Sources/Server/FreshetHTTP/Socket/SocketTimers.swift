// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// The clocks of one socket, on its event loop; at most one of each kind runs.
struct SocketTimers {
    enum Kind: Hashable {
        /// The first token must have come.
        case authentication
        /// The access token ends.
        case expiry
        /// It is time to look after the client.
        case keepAlive
        /// Something must have been written.
        case writing
        /// The client must have answered the close.
        case closeHandshake
    }

    private var running: [Kind: Scheduled<Void>] = [:]
    /// Whether the socket is gone; nothing is set after that.
    private(set) var areStopped = false

    func isSet(_ kind: Kind) -> Bool { running[kind] != nil }

    /// Does something after a while, in place of what was set before.
    mutating func set(_ kind: Kind, after span: Duration, on eventLoop: any EventLoop, _ action: @escaping () -> Void) {
        guard !areStopped else { return }
        running[kind]?.cancel()
        let span = TimeAmount.milliseconds(max(1, span.milliseconds))
        running[kind] = eventLoop.assumeIsolated().scheduleTask(in: span, action)
    }

    mutating func cancel(_ kind: Kind) { running.removeValue(forKey: kind)?.cancel() }

    mutating func stop() {
        for alarm in running.values { alarm.cancel() }
        running = [:]
        areStopped = true
    }
}
