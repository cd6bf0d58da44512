// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides which unauthenticated sockets are admitted, and which ones are closed to admit others.
///
/// A client that opens sockets without authenticating displaces only its own: the oldest socket of the network with the
/// most of them is closed first.
package struct UnauthenticatedSockets<ID: Hashable & Sendable>: Sendable {
    /// The decision on a socket that has not authenticated yet.
    package enum Admission: Equatable, Sendable {
        case admitted
        /// The socket is admitted, and this one has to be closed.
        case replaces(ID)
        /// There is no capacity.
        case refused
    }

    private let total: Int
    private let perNetwork: Int
    /// The network of each socket.
    private var networks: [ID: SourceNetwork?] = [:]
    /// The sockets of each network, oldest first.
    ///
    /// The key is `nil` for clients that cannot be distinguished, such as those of a proxy.
    private var queues: [SourceNetwork?: [Entry]] = [:]
    private var lastNumber: UInt64 = 0

    private struct Entry {
        var id: ID
        /// A number that increases with each socket, so that ages can be compared across networks.
        var number: UInt64
    }

    /// Creates a limiter without sockets.
    ///
    /// - Parameters:
    ///   - total: The maximum number of unauthenticated sockets.
    ///   - perNetwork: The maximum number of unauthenticated sockets of one network.
    package init(total: Int, perNetwork: Int) {
        self.total = total
        self.perNetwork = perNetwork
    }

    package var count: Int { networks.count }

    package mutating func insert(_ id: ID, from network: SourceNetwork?) -> Admission {
        guard total > 0, perNetwork > 0, networks[id] == nil else { return .refused }
        var victim: ID?
        if network != nil, let own = queues[network], own.count >= perNetwork {
            victim = own.first?.id
        } else if count >= total {
            victim = oldestOfLargest(joining: network)
        }
        if let victim { remove(victim) }
        lastNumber += 1
        networks[id] = .some(network)
        queues[network, default: []].append(Entry(id: id, number: lastNumber))
        return victim.map(Admission.replaces) ?? .admitted
    }

    /// Removes a socket that was closed or authenticated.
    ///
    /// - Returns: `false` if it is unknown, because it was closed to admit another.
    @discardableResult
    package mutating func remove(_ id: ID) -> Bool {
        guard let network = networks.removeValue(forKey: id) else { return false }
        queues[network]?.removeAll { $0.id == id }
        if queues[network]?.isEmpty == true { queues[network] = nil }
        return true
    }

    package func contains(_ id: ID) -> Bool { networks[id] != nil }

    /// Returns the oldest socket of the network with the most sockets.
    ///
    /// Among networks with the same number, the new socket's network is chosen, or else the one with the oldest socket.
    private func oldestOfLargest(joining network: SourceNetwork?) -> ID? {
        queues.max { left, right in
            let counts = (left.value.count, right.value.count)
            if counts.0 != counts.1 { return counts.0 < counts.1 }
            if left.key == network || right.key == network { return right.key == network }
            return (left.value.first?.number ?? 0) > (right.value.first?.number ?? 0)
        }?.value.first?.id
    }
}
