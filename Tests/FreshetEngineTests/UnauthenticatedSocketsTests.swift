// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Sockets without a token` {
    private func network(_ host: Int) throws -> SourceNetwork {
        SourceNetwork(try #require(SourceAddress("2001:db8:0:\(String(host, radix: 16))::1")))
    }

    @Test func `a network that has its share replaces its own oldest`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 10, perNetwork: 2)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        #expect(sockets.insert(2, from: try network(1)) == .admitted)
        #expect(sockets.insert(3, from: try network(2)) == .admitted)
        #expect(sockets.insert(4, from: try network(1)) == .replaces(1))
        #expect(!sockets.contains(1) && sockets.contains(2) && sockets.contains(3))
        #expect(sockets.count == 3)
    }

    @Test func `when full the oldest of the network with the most goes first`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 4, perNetwork: 3)
        #expect(sockets.insert(1, from: try network(1)) == .admitted)
        for id in 2...4 { #expect(sockets.insert(id, from: try network(2)) == .admitted) }
        #expect(sockets.insert(5, from: try network(3)) == .replaces(2))
        // Two networks have two each, counting the newcomer's: its own goes.
        #expect(sockets.insert(6, from: try network(3)) == .replaces(3))
        #expect(sockets.insert(7, from: try network(3)) == .replaces(5))
        #expect(sockets.contains(1) && sockets.contains(4))
    }

    @Test func `among networks with as many sockets the new one's own gives way, not the older`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 4, perNetwork: 3)
        for id in 1...4 { #expect(sockets.insert(id, from: try network(id < 3 ? 1 : 2)) == .admitted) }
        #expect(sockets.insert(5, from: try network(2)) == .replaces(3))
        #expect(sockets.insert(6, from: try network(3)) == .replaces(1))
    }

    @Test func `among networks with as many sockets the oldest socket is closed first`() throws {
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

    @Test func `one network never pushes out another's that has fewer`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 256, perNetwork: 32)
        #expect(sockets.insert(0, from: try network(0)) == .admitted)
        for id in 1...100_000 { _ = sockets.insert(id, from: try network(1 + id % 100)) }
        #expect(sockets.contains(0))
        #expect(sockets.count == 256)
    }

    @Test func `clients that cannot be told apart have all places, and go first when others come`() throws {
        var sockets = UnauthenticatedSockets<Int>(total: 3, perNetwork: 1)
        for id in 1...3 { #expect(sockets.insert(id, from: nil) == .admitted) }
        #expect(sockets.insert(4, from: nil) == .replaces(1))
        #expect(sockets.insert(5, from: try network(1)) == .replaces(2))
    }

    @Test func `a socket that was replaced is unknown, and one that left makes room`() throws {
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
