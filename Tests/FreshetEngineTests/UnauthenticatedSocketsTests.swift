// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Sockets without a token` {
    private func network(_ host: Int) throws -> SourceNetwork {
        SourceNetwork(try #require(SourceAddress("2001:db8:0:\(String(host, radix: 16))::1")))
    }

    @Test func `a network that has used its share replaces its own oldest socket`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 10, perNetwork: 2)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        #expect(sockets.insert(2, from: try network(1)) == .admitted)
        #expect(sockets.insert(3, from: try network(2)) == .admitted)
        #expect(sockets.insert(4, from: try network(1)) == .replaces(1))
        #expect(!sockets.contains(1) && sockets.contains(2) && sockets.contains(3))
        #expect(sockets.count == 3)
    }

    @Test func `a full limiter replaces the oldest socket of the network with the most sockets`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 4, perNetwork: 3)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        for id in 2...4 { #expect(sockets.insert(id, from: try network(2)) == .admitted) }
        #expect(sockets.insert(5, from: try network(3)) == .replaces(2))
        // Two networks have two each, counting the newcomer's: its own goes.
        #expect(sockets.insert(6, from: try network(3)) == .replaces(3))
        #expect(sockets.insert(7, from: try network(3)) == .replaces(5))
        #expect(sockets.contains(1) && sockets.contains(4))
    }

    @Test func `a new socket replaces one of its own network when another network has as many sockets`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 4, perNetwork: 3)
        for id in 1...4 { #expect(sockets.insert(id, from: try network(id < 3 ? 1 : 2)) == .admitted) }
        #expect(sockets.insert(5, from: try network(2)) == .replaces(3))
        #expect(sockets.insert(6, from: try network(3)) == .replaces(1))
    }

    @Test func `among networks with equally many sockets the oldest socket is replaced first`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 20, perNetwork: 3)
        for id in 1...20 { #expect(sockets.insert(id, from: try network(id)) == .admitted) }
        for id in 21...60 { #expect(sockets.insert(id, from: try network(id)) == .replaces(id - 20)) }
    }

    @Test func `a socket that is admitted already is refused, and keeps its place`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 3, perNetwork: 1)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        #expect(sockets.insert(1, from: try network(1)) == .refused)
        #expect(sockets.insert(1, from: try network(2)) == .refused)
        #expect(sockets.contains(1) && sockets.count == 1)
        #expect(sockets.insert(2, from: try network(1)) == .replaces(1))
    }

    @Test func `a limiter of sockets keeps nothing of networks without sockets`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 4, perNetwork: 2)
        for id in 1...100 { _ = sockets.insert(id, from: try network(id)) }
        for id in 1...100 { sockets.remove(id) }
        #expect(sockets.count == 0)
        let tables = Mirror(reflecting: sockets).children.compactMap { $0.value as? any Collection }
        #expect(tables.count == 2)
        #expect(tables.allSatisfy { $0.isEmpty })
    }

    @Test func `a network never replaces a socket of a network with fewer sockets`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 256, perNetwork: 32)
        #expect(sockets.insert(0, from: try network(0)) == .admitted)
        for id in 1...100_000 { _ = sockets.insert(id, from: try network(1 + id % 100)) }
        #expect(sockets.contains(0))
        #expect(sockets.count == 256)
    }

    @Test func `clients without a known network may use all sockets, and are replaced first by other clients`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 3, perNetwork: 1)
        for id in 1...3 { #expect(sockets.insert(id, from: nil) == .admitted) }
        #expect(sockets.insert(4, from: nil) == .replaces(1))
        #expect(sockets.insert(5, from: try network(1)) == .replaces(2))
    }

    @Test func `a replaced socket is unknown to the limiter, and a removed one makes room`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 1, perNetwork: 1)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        #expect(sockets.insert(2, from: try network(2)) == .replaces(1))
        #expect(sockets.remove(1) == false)
        #expect(sockets.remove(2) == true)
        #expect(sockets.insert(3, from: try network(1)) == .admitted)
        var none = UnauthenticatedSockets<Int>(total: 0, perNetwork: 1)
        #expect(none.insert(1, from: nil) == .refused)
    }
}
