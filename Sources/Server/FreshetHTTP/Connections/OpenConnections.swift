// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers
import NIOCore

/// The open connections of all listeners of the process, to be closed at the end of a shutdown.
package final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
        /// The number of files that were open when the server began to listen.
        var filesAtStart = 0
        /// The number of connections whose descriptors are not closed yet, including refused connections.
        var descriptors = 0
        /// Callbacks of listeners that ran out of descriptors, called when the next connection closes.
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = NIOLockedValueBox(State())

    var count: Int { state.withLockedValue { $0.channels.count } }

    /// The minimum number of descriptors in use.
    ///
    /// The lowest free descriptor is not a measure of it, because closed connections leave gaps among the low numbers.
    var descriptorsInUse: Int { state.withLockedValue { $0.filesAtStart + $0.descriptors } }

    /// Sets the number of files that are open before the first connection.
    func setFilesAtStart(_ count: Int) { state.withLockedValue { $0.filesAtStart = count } }

    /// Counts a connection's descriptor from its accept until it is closed.
    func countDescriptor(of channel: any Channel) {
        state.withLockedValue { $0.descriptors += 1 }
        channel.closeFuture.whenComplete { [self] _ in
            resumeListeners { $0.descriptors -= 1 }
        }
    }

    /// Registers a connection until ``remove(_:)``.
    ///
    /// - Returns: `false` if the shutdown has ended; the caller must then close the connection.
    func insert(_ channel: any Channel) -> Bool {
        state.withLockedValue { state in
            guard !state.isClosed else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func remove(_ channel: any Channel) {
        resumeListeners { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    private func resumeListeners(after change: (inout State) -> Void) {
        let waiting = state.withLockedValue { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Calls `action` once, when the next connection closes.
    func onNextClose(_ action: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.waiting.append(action) }
    }

    /// Closes all connections without waiting for their peers, and refuses further ones.
    ///
    /// - Returns: The number of connections that were closed.
    @discardableResult
    func closeAll() -> Int {
        let channels = state.withLockedValue { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.closeImmediately() }
        return channels.count
    }
}
