// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// How much the server has taken on, and whether it takes on more.
final class ServerLoad: Sendable {
    private struct Counts {
        var requests = 0
        var connections = 0
        /// By address; an address without connections is not kept.
        var sources: [SourceAddress: Int] = [:]
        var refused = 0
        /// Who waits until there is no request.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let limits: LoadLimits
    /// Whether all connections come from one proxy.
    private let isBehindProxy: Bool
    private let counts = NIOLockedValueBox(Counts())

    init(_ limits: LoadLimits, isBehindProxy: Bool = false) {
        self.limits = limits
        self.isBehindProxy = isBehindProxy
    }

    var requests: Int { counts.withLockedValue { $0.requests } }
    var connections: Int { counts.withLockedValue { $0.connections } }
    /// Connections that were closed as soon as they were opened.
    var refusedConnections: Int { counts.withLockedValue { $0.refused } }

    /// Whether an address has limits of its own.
    func isLimited(_ source: SourceAddress) -> Bool {
        !isBehindProxy && (limits.countsLoopback || !source.isLoopback)
    }

    // MARK: - Requests

    /// Takes a place for a request, to be given back by ``leave()``.
    ///
    /// - Throws: `unavailable`, before the request has cost any memory.
    func enter() throws(APIError) {
        let isFull = counts.withLockedValue { counts in
            guard counts.requests < limits.requests else { return true }
            counts.requests += 1
            return false
        }
        if isFull { throw .overloaded("too many requests at once") }
    }

    func leave() {
        let waiting = counts.withLockedValue { counts in
            counts.requests -= 1
            guard counts.requests == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { counts.waiting = [] }
            return counts.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once no request has a place.
    func untilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = counts.withLockedValue { counts in
                if counts.requests > 0 { counts.waiting.append(continuation) }
                return counts.requests == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    // MARK: - Connections

    /// Takes a place for a connection, which it gives back when it closes.
    ///
    /// - Returns: `false` if there is none; the connection is then to be closed.
    func admit(_ channel: any Channel) -> Bool {
        let source = channel.remoteAddress.flatMap { SourceAddress($0) }.flatMap { isLimited($0) ? $0 : nil }
        let isAdmitted = counts.withLockedValue { counts in
            let ofSource = source.map { counts.sources[$0, default: 0] } ?? 0
            guard counts.connections < limits.connections, ofSource < limits.connectionsPerSource else {
                counts.refused += 1
                return false
            }
            counts.connections += 1
            if let source { counts.sources[source] = ofSource + 1 }
            return true
        }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [self] _ in
            counts.withLockedValue { counts in
                counts.connections -= 1
                guard let source, let count = counts.sources[source] else { return }
                counts.sources[source] = count > 1 ? count - 1 : nil
            }
        }
        return true
    }
}

extension APIError {
    /// The server has enough to do; each client comes back at another time.
    static func overloaded(_ description: String) -> APIError {
        APIError(.unavailable, description, retryAfter: .seconds(Int.random(in: LoadLimits.waits)))
    }
}
