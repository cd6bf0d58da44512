// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// Admits requests and connections within the server's limits.
package final class AdmissionController: Sendable {
    private struct Counts {
        var requests = 0
        var connections: ConnectionLimiter
        /// Refused connections, by reason.
        var refused: [ConnectionLimiter.Refusal: Int] = [:]
        /// Continuations that wait until no request is in progress.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: AdmissionLimits
    /// Whether all connections come from one proxy.
    private let isBehindProxy: Bool
    private let counts: NIOLockedValueBox<Counts>
    /// The connections of all listeners of the process.
    package let open: OpenConnections

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - isBehindProxy: Whether all connections come from one proxy.
    ///   - open: Registers admitted connections, so that they are closed at the end of a shutdown.
    package init(_ limits: AdmissionLimits, isBehindProxy: Bool = false, open: OpenConnections = OpenConnections()) {
        self.limits = limits
        self.isBehindProxy = isBehindProxy
        self.open = open
        counts = NIOLockedValueBox(Counts(connections: ConnectionLimiter(limits)))
    }

    package var requests: Int { counts.withLockedValue { $0.requests } }
    package var connections: Int { counts.withLockedValue { $0.connections.count } }
    /// The number of connections that were closed as soon as they were accepted, by reason.
    package var refusedConnections: [ConnectionLimiter.Refusal: Int] { counts.withLockedValue { $0.refused } }

    /// Whether connections from an address have separate limits.
    package func isLimited(_ source: SourceAddress) -> Bool {
        !isBehindProxy && (limits.countsLoopback || !source.isLoopback)
    }

    /// Returns the network under which a request's client is counted.
    ///
    /// - Parameters:
    ///   - source: The client's address, as reported by trusted proxies.
    ///   - peer: The address of the peer.
    /// - Returns: The network; `nil` if unrelated clients share the address.
    package func network(of source: SourceAddress?, peer: SourceAddress?) -> SourceNetwork? {
        guard let source, limits.countsLoopback || !source.isLoopback else { return nil }
        // Without an address from a trusted proxy, the source is the proxy itself, shared by all clients.
        return isBehindProxy && source == peer ? nil : SourceNetwork(source)
    }

    // MARK: - Requests

    /// Admits a request, until ``endRequest()``.
    ///
    /// - Throws: `unavailable`, before the request has cost any memory.
    func beginRequest() throws(APIError) {
        let isFull = counts.withLockedValue { counts in
            guard counts.requests < limits.requests else { return true }
            counts.requests += 1
            return false
        }
        if isFull { throw .overloaded("too many requests at once") }
    }

    func endRequest() {
        let waiting = counts.withLockedValue { counts in
            counts.requests -= 1
            guard counts.requests == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { counts.waiting = [] }
            return counts.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until no request is in progress.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = counts.withLockedValue { counts in
                if counts.requests > 0 { counts.waiting.append(continuation) }
                return counts.requests == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    // MARK: - Connections

    /// Lowers the maximum number of connections to the available descriptors.
    func limitConnections(to number: Int) {
        counts.withLockedValue { $0.connections.limits.connections = number }
    }

    /// Admits a connection, which is counted until it closes.
    ///
    /// - Returns: `false` if a limit is reached; the caller must then close the connection.
    func admit(_ channel: any Channel) -> Bool {
        let source = channel.remoteAddress.flatMap { SourceAddress($0) }.flatMap { isLimited($0) ? $0 : nil }
        let isAdmitted = counts.withLockedValue { counts in
            do throws(ConnectionLimiter.Refusal) {
                try counts.connections.admit(source)
                return true
            } catch {
                counts.refused[error, default: 0] += 1
                return false
            }
        }
        guard isAdmitted else {
            // Closing a connection frees a descriptor, for which a listener may be waiting.
            channel.closeFuture.whenComplete { [open] _ in open.remove(channel) }
            return false
        }
        guard open.insert(channel) else {
            counts.withLockedValue { $0.connections.release(source) }
            return false
        }
        channel.closeFuture.whenComplete { [self] _ in
            counts.withLockedValue { $0.connections.release(source) }
            open.remove(channel)
        }
        return true
    }
}
