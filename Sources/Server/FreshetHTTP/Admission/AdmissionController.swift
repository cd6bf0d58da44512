// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// How much the server has taken on, and whether it takes on more.
package final class AdmissionController: Sendable {
    private struct Counts {
        var requests = 0
        var connections: ConnectionLimiter
        /// Refused connections, by reason.
        var refused: [ConnectionLimiter.Refusal: Int] = [:]
        /// Who waits until there is no request.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: AdmissionLimits
    /// Whether all connections come from one proxy.
    private let isBehindProxy: Bool
    private let counts: NIOLockedValueBox<Counts>
    /// The connections of all listeners of the process.
    package let open: OpenConnections

    /// - Parameters:
    ///   - limits: The bounds.
    ///   - isBehindProxy: Whether all connections come from one proxy.
    ///   - open: Where admitted connections are registered, to be closed at the end of a shutdown.
    package init(_ limits: AdmissionLimits, isBehindProxy: Bool = false, open: OpenConnections = OpenConnections()) {
        self.limits = limits
        self.isBehindProxy = isBehindProxy
        self.open = open
        counts = NIOLockedValueBox(Counts(connections: ConnectionLimiter(limits)))
    }

    package var requests: Int { counts.withLockedValue { $0.requests } }
    package var connections: Int { counts.withLockedValue { $0.connections.count } }
    /// Connections that were closed as soon as they were opened, by reason.
    package var refusedConnections: [ConnectionLimiter.Refusal: Int] { counts.withLockedValue { $0.refused } }

    /// Whether an address has limits of its own.
    package func isLimited(_ source: SourceAddress) -> Bool {
        !isBehindProxy && (limits.countsLoopback || !source.isLoopback)
    }

    /// The network by which a request's client is counted.
    ///
    /// - Parameters:
    ///   - source: The client, as trusted proxies name it.
    ///   - peer: The other end of the connection.
    /// - Returns: `nil` if unrelated clients share its address.
    package func network(of source: SourceAddress?, peer: SourceAddress?) -> SourceNetwork? {
        guard let source, limits.countsLoopback || !source.isLoopback else { return nil }
        // Without a trusted proxy's word the source is the proxy, and so everybody.
        return isBehindProxy && source == peer ? nil : SourceNetwork(source)
    }

    // MARK: - Requests

    /// Takes a place for a request, to be given back by ``endRequest()``.
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

    /// Returns once no request has a place.
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

    /// Lowers the number of connections to what the system has descriptors for.
    func limitConnections(to number: Int) {
        counts.withLockedValue { $0.connections.limits.connections = number }
    }

    /// Takes a place for a connection, which it gives back when it closes.
    ///
    /// - Returns: `false` if there is none; the connection is then to be closed.
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
            // Its descriptor is free for another, which a listener may wait for.
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
