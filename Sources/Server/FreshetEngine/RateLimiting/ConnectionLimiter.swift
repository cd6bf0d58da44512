// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides which connections are admitted, so that no network can take all of them.
///
/// A network (an IPv4 address, an IPv6 /64) has a share, and so has each address block (/24, /48), because a subscriber may
/// have thousands of IPv6 networks. The last places are reserved for networks without a connection.
package struct ConnectionLimiter: Sendable {
    /// The reason that a connection is refused.
    package enum Refusal: Error, Equatable, Sendable {
        case full
        case networkShare
        case blockShare
        /// The remaining places are for networks without a connection.
        case reserved

        /// The label in metrics.
        package var name: String {
            switch self {
            case .full: "full"
            case .networkShare: "network"
            case .blockShare: "block"
            case .reserved: "reserved"
            }
        }
    }

    /// The number of connections.
    package private(set) var count = 0
    package var limits: AdmissionLimits
    /// The number of connections by network; networks and blocks without connections have no entry.
    private var networks: [SourceNetwork: Int] = [:]
    private var blocks: [SourceAddressBlock: Int] = [:]

    package init(_ limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Admits a connection, which ``release(_:)`` must release.
    ///
    /// - Parameter source: The client's address; `nil` if unrelated clients share it, like a proxy's.
    /// - Throws: `Refusal`; nothing is counted then.
    package mutating func admit(_ source: SourceAddress?) throws(Refusal) {
        guard count < limits.connections else { throw .full }
        if let source {
            let network = SourceNetwork(source)
            let block = SourceAddressBlock(source)
            let ofNetwork = networks[network, default: 0]
            let ofBlock = blocks[block, default: 0]
            guard ofNetwork < limits.connectionsPerSource else { throw .networkShare }
            guard ofBlock < limits.connectionsPerBlock else { throw .blockShare }
            let isNew = ofNetwork == 0 && ofBlock < max(1, limits.reservedConnections / 16)
            guard isNew || limits.connections - count > limits.reservedConnections else { throw .reserved }
            networks[network] = ofNetwork + 1
            blocks[block] = ofBlock + 1
        }
        count += 1
    }

    /// Releases a connection that was admitted with the same `source`.
    package mutating func release(_ source: SourceAddress?) {
        count -= 1
        guard let source else { return }
        let network = SourceNetwork(source)
        let block = SourceAddressBlock(source)
        networks[network] = networks[network].flatMap { $0 > 1 ? $0 - 1 : nil }
        blocks[block] = blocks[block].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// The networks and blocks that are kept, for tests of bounded memory.
    package var entries: Int { networks.count + blocks.count }
}
