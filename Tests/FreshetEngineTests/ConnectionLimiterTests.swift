// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `Shares of connections` {
    private func limits(connections: Int, perSource: Int) -> AdmissionLimits {
        var limits = AdmissionLimits()
        limits.connections = connections
        limits.connectionsPerSource = perSource
        return limits
    }

    private func address(_ text: String) throws -> SourceAddress { try #require(SourceAddress(text)) }

    private func admitted(_ shares: inout ConnectionLimiter, _ source: SourceAddress?) -> ConnectionLimiter.Refusal? {
        do throws(ConnectionLimiter.Refusal) {
            try shares.admit(source)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a network is a 64-bit IPv6 prefix or an IPv4 address, and a block is a shorter prefix`() throws {
        #expect(SourceNetwork(try address("2001:db8:1:2::1")) == SourceNetwork(try address("2001:db8:1:2:ffff::9")))
        #expect(SourceNetwork(try address("2001:db8:1:2::1")) != SourceNetwork(try address("2001:db8:1:3::1")))
        #expect(SourceNetwork(try address("192.0.2.1")) != SourceNetwork(try address("192.0.2.2")))
        #expect(SourceNetwork(try address("::ffff:192.0.2.1")) == SourceNetwork(try address("192.0.2.1")))
        #expect(SourceNetwork(try address("::c000:201")) != SourceNetwork(try address("192.0.2.1")))
        #expect(SourceAddressBlock(try address("192.0.2.1")) == SourceAddressBlock(try address("192.0.2.200")))
        #expect(SourceAddressBlock(try address("192.0.3.1")) != SourceAddressBlock(try address("192.0.2.1")))
        #expect(SourceAddressBlock(try address("2001:db8:1:2::")) == SourceAddressBlock(try address("2001:db8:1:ff::")))
        #expect(SourceAddressBlock(try address("2001:db8:2:2::")) != SourceAddressBlock(try address("2001:db8:1:2::")))
    }

    @Test func `eight addresses of one IPv6 network have one share`() throws {
        var shares = ConnectionLimiter(limits(connections: 2000, perSource: 256))
        var count = 0
        for host in 1...8 {
            for _ in 1...256 where admitted(&shares, try address("2001:db8::\(host)")) == nil { count += 1 }
        }
        #expect(count == 256)
        #expect(admitted(&shares, try address("2001:db8::9")) == .networkShare)
        #expect(admitted(&shares, try address("192.0.2.1")) == nil)
    }

    @Test func `the networks of one address block get at most a quarter of all connections`() throws {
        var shares = ConnectionLimiter(limits(connections: 2000, perSource: 256))
        var refusals: Set<String> = []
        for network in 1...1000 {
            for _ in 1...4 {
                let refusal = admitted(&shares, try address("2001:db8:7:\(String(network, radix: 16))::1"))
                if let refusal { refusals.insert(refusal.name) }
            }
        }
        #expect(shares.count == 500)
        #expect(refusals == ["block"])
        #expect(admitted(&shares, try address("2001:db8:8::1")) == nil)
    }

    @Test func `the last tenth of the connections is reserved for networks without a connection`() throws {
        var shares = ConnectionLimiter(limits(connections: 100, perSource: 50))
        for block in 1...2 {
            for _ in 1...50 { _ = admitted(&shares, try address("198.51.\(block).1")) }
        }
        #expect(shares.count == 90)
        #expect(admitted(&shares, try address("198.51.2.1")) == .reserved)
        // A neighbour of an attacker is no newcomer, or the attacker's block would take the reserve.
        #expect(admitted(&shares, try address("198.51.2.2")) == .reserved)
        for block in 1...10 { #expect(admitted(&shares, try address("203.0.\(block).1")) == nil) }
        #expect(admitted(&shares, try address("203.0.11.1")) == .full)
        #expect(admitted(&shares, nil) == .full)
    }

    /// 1600 connections, of which 160 are reserved, and 20, of which two are.
    @Test(arguments: [(1600, 1440, 10), (20, 18, 1)])
    func `a block gets a sixteenth of the reserve, but at least one connection`(all: Int, used: Int, share: Int) throws
    {
        var limiter = ConnectionLimiter(limits(connections: all, perSource: 50))
        for _ in 1...used { #expect(admitted(&limiter, nil) == nil) }
        for host in 1...share { #expect(admitted(&limiter, try address("203.0.113.\(host)")) == nil) }
        #expect(admitted(&limiter, try address("203.0.113.200")) == .reserved)
        #expect(admitted(&limiter, try address("203.0.114.1")) == nil)
    }

    @Test func `a connection that is released makes room for one of its block`() throws {
        var limiter = ConnectionLimiter(limits(connections: 40, perSource: 2))
        for host in 1...10 { #expect(admitted(&limiter, try address("203.0.113.\(host)")) == nil) }
        for host in 1...5 {
            #expect(admitted(&limiter, try address("203.0.113.11")) == .blockShare)
            limiter.release(try address("203.0.113.\(host)"))
            #expect(admitted(&limiter, try address("203.0.113.\(host)")) == nil)
        }
        #expect(limiter.entries == 11)
        for host in 2...10 { limiter.release(try address("203.0.113.\(host)")) }
        #expect(limiter.entries == 2, "the last network and its block")
    }

    @Test func `clients without a distinct address can use all connections`() throws {
        var shares = ConnectionLimiter(limits(connections: 100, perSource: 10))
        for _ in 1...100 {
            let refusal = admitted(&shares, nil)
            #expect(refusal == nil)
        }
        #expect(admitted(&shares, nil) == .full)
    }

    @Test func `the connection limiter keeps no entries of networks without connections`() throws {
        var shares = ConnectionLimiter(limits(connections: 100, perSource: 10))
        let sources = try (1...50).map { try address("198.51.\($0).1") }
        for source in sources + sources.prefix(20) { #expect(admitted(&shares, source) == nil) }
        #expect(shares.entries == 100)
        for source in sources + sources.prefix(20) { shares.release(source) }
        #expect(shares.count == 0)
        #expect(shares.entries == 0)
    }

    @Test(arguments: [(64, 30, 18), (1024, 40, 728), (65_536, 40, 20_000), (16, 20, 1)])
    func `the file descriptor limit bounds the number of connections, and a reserve stays free`(
        limit: Int,
        inUse: Int,
        connections: Int
    ) {
        #expect(DescriptorBudget(limit: limit, inUse: inUse).connections(atMost: 20_000) == connections)
    }

    @Test(arguments: [(16, 16), (64, 16), (1024, 256), (2048, 512), (65_536, 512)])
    func `a quarter of the descriptors is reserved, from 16 to 512`(limit: Int, reserve: Int) {
        #expect(DescriptorBudget(limit: limit, inUse: 40).reserve == reserve)
    }

    @Test(arguments: [(64, 55, false), (64, 56, true), (1024, 895, false), (1024, 896, true), (8, 0, true)])
    func `accepting pauses when half of the reserve is taken`(limit: Int, inUse: Int, isShort: Bool) {
        #expect(DescriptorBudget(limit: limit, inUse: inUse).isShort == isShort)
    }
}
