// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import NIOCore

/// The timers of one socket, on its event loop; at most one of each kind.
struct SocketTimers {
    enum Kind: Hashable {
        /// The deadline for the first token.
        case authentication
        /// The expiry of the access token.
        case expiry
        /// The next ping.
        case keepAlive
        /// The deadline for a completed write.
        case writing
        /// The deadline for the client's close frame.
        case closeHandshake
    }

    private var running: [Kind: Scheduled<Void>] = [:]
    /// Whether the socket is closed; no timer is set after that.
    private(set) var areStopped = false

    func isSet(_ kind: Kind) -> Bool { running[kind] != nil }

    /// Schedules an action, and replaces the timer of the same kind.
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
