// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import NIOConcurrencyHelpers

/// A network of the tests' own, whose nodes can be cut off from everybody else: Linux network namespaces, joined by a bridge.
///
/// A cut drops packets and tells nobody, as a switch does that fails: connections hang, and are not refused. It ends when
/// this process does, however that comes about.
package final class NodeNetwork: Sendable {
    /// A machine on it, as far as addresses and ports go.
    package struct Node: Sendable {
        fileprivate let space: String
        /// Its end in the bridge.
        fileprivate let link: String
        package let address: String
        /// All addresses of its network.
        let neighbours: String
        /// The prefix of a command that runs in the namespace.
        var entrance: [String] { ["ip", "netns", "exec", space] }
    }

    /// Whether this process may make one: root may, unless it is confined.
    package static let isPermitted: Bool = {
        guard geteuid() == 0, let network = try? NodeNetwork() else { return false }
        defer { network.remove() }
        return (try? network.node()) != nil
    }()

    private static let most = 4

    /// Which of the networks 10.231.x.0/24 it is; no two of a machine are one, for the bridge has it in its name.
    private let number: Int
    private let nodes = NIOLockedValueBox<[Node]>([])
    /// Closed by the system when this process ends, however that comes about; then the keeper takes the network down.
    private let life: FileHandle
    private let keeper: Subprocess

    /// Makes one without nodes, which this process is on.
    ///
    /// - Throws: `PostgresCluster.Failure` or `POSIXError` if that cannot be done here.
    package init() throws {
        let start = Int(getpid())
        let free = (0..<254).lazy.map { 1 + (start + $0) % 254 }.first { number in
            (try? PostgresCluster.run(["ip", "link", "add", Self.bridge(number), "type", "bridge"])) != nil
        }
        guard let free else { throw PostgresCluster.Failure(what: "no bridge could be made") }
        number = free
        do {
            let (reading, writing) = try Subprocess.pipe()
            life = writing
            let command = ["sh", "-c", "cat >/dev/null; \(Self.removal(free))"]
            keeper = try PostgresCluster.start(command, input: reading)
            try reading.close()
        } catch {
            try? PostgresCluster.run(["sh", "-c", Self.removal(free)])
            throw error
        }
        do {
            // A bridge else has the least address of its ports, and another one after a cut.
            try shell(
                """
                ip link set \(Self.bridge(free)) address \(Self.hardware(free, 1))
                ip addr add \(Self.address(free, 1))/24 dev \(Self.bridge(free))
                ip link set \(Self.bridge(free)) up
                """
            )
        } catch {
            remove()
            throw error
        }
    }

    /// A new node; everybody on the network reaches it.
    ///
    /// - Returns: The node.
    /// - Throws: `PostgresCluster.Failure` if it cannot be made.
    package func node() throws -> Node {
        try nodes.withLockedValue { nodes in
            let index = nodes.count + 2
            guard nodes.count < Self.most else { throw PostgresCluster.Failure(what: "more than \(Self.most) nodes") }
            let node = Node(
                space: Self.space(number, index),
                link: Self.link(number, index),
                address: Self.address(number, index),
                neighbours: Self.address(number, 0) + "/24"
            )
            nodes.append(node)
            // ARP for the address of a node that is cut off fails; a host that has the address cached gets no answer.
            let others = (1..<Self.most + 2).filter { $0 != index }.map { other in
                "ip -n \(node.space) neigh replace \(Self.address(number, other)) "
                    + "lladdr \(Self.hardware(number, other)) dev eth0 nud permanent"
            }
            try shell(
                """
                ip netns add \(node.space)
                ip link add \(node.link) type veth peer name eth0 address \(Self.hardware(number, index)) \
                netns \(node.space)
                ip -n \(node.space) link set lo up
                ip -n \(node.space) addr add \(node.address)/24 dev eth0
                ip -n \(node.space) link set eth0 up
                \(others.joined(separator: "\n"))
                ip neigh replace \(node.address) lladdr \(Self.hardware(number, index)) \
                dev \(Self.bridge(number)) nud permanent
                ip link set \(node.link) up
                """
            )
            try heal(node)
            return node
        }
    }

    /// Drops whatever goes to a node, and whatever comes from it.
    ///
    /// - Throws: `PostgresCluster.Failure` if that did not work.
    package func cut(_ node: Node) throws { try shell("ip link set \(node.link) nomaster") }

    /// Ends a cut.
    ///
    /// - Throws: `PostgresCluster.Failure` if that did not work.
    package func heal(_ node: Node) throws { try shell("ip link set \(node.link) master \(Self.bridge(number))") }

    /// Takes it down; what still runs on a node goes on there alone.
    package func remove() {
        // By the keeper and once: a moment later its number may be another process's.
        try? life.close()
        _ = keeper.wait(until: .now + .seconds(60))
    }

    // MARK: - Names

    private static func bridge(_ number: Int) -> String { "freshet-\(number)" }
    private static func link(_ number: Int, _ index: Int) -> String { "freshet-\(number)-\(index)" }
    private static func space(_ number: Int, _ index: Int) -> String { "freshet-\(getpid())-\(number)-\(index)" }
    private static func address(_ number: Int, _ index: Int) -> String { "10.231.\(number).\(index)" }

    /// One that nobody else has: the second bit says that it was given by hand.
    private static func hardware(_ number: Int, _ index: Int) -> String {
        let bytes = [2, 0, 10, 231, number, index].map { String($0, radix: 16) }
        return bytes.map { $0.count == 1 ? "0" + $0 : $0 }.joined(separator: ":")
    }

    /// The commands that remove all of it; the bridge last, because its number is taken until then.
    private static func removal(_ number: Int) -> String {
        let nodes = (2..<most + 2).map { index in
            "ip link del \(link(number, index)); ip netns del \(space(number, index));"
        }
        return nodes.joined(separator: " ") + " ip link del \(bridge(number))"
    }

    private func shell(_ script: String) throws { try PostgresCluster.run(["sh", "-ec", script]) }
}
