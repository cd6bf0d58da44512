// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetEngine

@Suite struct `Where a request comes from` {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:4711", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"), ("::1", "::/64"), ("64:ff9b::192.0.2.7", "192.0.2.7"),
        ("64:ff9b:1::192.0.2.7", "64:ff9b:1::/64"),
    ])
    func `is counted as an IPv4 address or an IPv6 network of 64 bits`(text: String, network: String) {
        #expect(SourceAddress(text)?.network.description == network)
    }

    @Test func `is one network for all addresses of an IPv6 subscriber, and for IPv4 however it is written`() throws {
        func network(_ text: String) throws -> SourceNetwork { try #require(SourceAddress(text)).network }
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
        #expect(try network("::ffff:192.0.2.7") == network("192.0.2.7"))
        #expect(try network("192.0.2.7") != network("192.0.2.8"))
        #expect(try network("192.0.2.7").bytes == [192, 0, 2, 7])
        #expect(try network("2001:db8:1:2::9").bytes == [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2])
    }

    @Test(arguments: ["", "x", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4, 5.6.7.8", "unknown", "_hidden", "::g", " "])
    func `is nothing where no address stands`(text: String) { #expect(SourceAddress(text) == nil) }

    @Test func `lies in a range, or does not`() throws {
        let ten = try #require(AddressRange("10.16.0.0/12"))
        for (text, isIn) in [
            ("10.16.0.1", true), ("10.31.255.255", true), ("10.32.0.0", false), ("::ffff:10.17.0.1", true),
        ] {
            #expect(ten.contains(try #require(SourceAddress(text))) == isIn)
        }
        let six = try #require(AddressRange("2001:db8::/33"))
        #expect(six.contains(try #require(SourceAddress("2001:db8:7fff::1"))))
        #expect(!six.contains(try #require(SourceAddress("2001:db8:8000::1"))))
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "a/8"] {
            #expect(AddressRange(text) == nil)
        }
    }

    @Test(arguments: [
        // Nobody but a proxy is believed.
        ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        // What a stranger wrote stands on the left of what the proxy says.
        ("10.0.0.1", ["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.66", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.66, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", [""], "10.0.0.1"),
    ])
    func `is told by the operator's proxies alone`(peer: String, forwarded: [String], source: String) throws {
        let proxies = [try #require(AddressRange("10.0.0.0/24"))]
        let found = SourceAddress.source(peer: SourceAddress(peer), forwarded: forwarded, proxies: proxies)
        #expect(found?.description == source)
    }

    @Test func `is known to be this machine`() {
        #expect(SourceAddress("127.1.2.3")?.isLoopback == true)
        #expect(SourceAddress("::1")?.isLoopback == true)
        #expect(SourceAddress("::2")?.isLoopback == false)
    }
}

@Suite struct `Limits of signing in` {
    private let now = Timestamp(milliseconds: 0)
    private let budgets = SignInBudgets()

    private func asker(_ source: String, device: String? = nil) -> SignInBudgets.Asker {
        SignInBudgets.Asker(account: "ann@example.com", source: SourceAddress(source), device: device)
    }

    @Test func `are taken from every budget or from none`() {
        var accounts: [String: AttemptBudget.Account] = [:]
        let (one, many) = (
            AttemptBudget(capacity: 1, interval: .seconds(10)), AttemptBudget(capacity: 9, interval: .seconds(1))
        )
        let both = [AttemptClaim("many", many), AttemptClaim("one", one)]
        #expect(AttemptClaim.take(both, from: &accounts, now: now) == nil)
        let before = accounts
        #expect(AttemptClaim.take(both, from: &accounts, now: now) == .seconds(10))
        #expect(accounts == before)
    }

    @Test func `count strangers by their source first, so that one uses up his own budget only`() {
        var accounts: [String: AttemptBudget.Account] = [:]
        func tries(_ asker: SignInBudgets.Asker, _ most: Int) -> Int {
            (0..<most).prefix { _ in AttemptClaim.take(budgets.password(asker), from: &accounts, now: now) == nil }
                .count
        }
        #expect(tries(asker("192.0.2.1"), 1000) == budgets.login.capacity)
        #expect(tries(asker("192.0.2.2"), 1) == 1)
        // Many strangers together use up the account's; a device that it knows still has its own.
        for number in 3...40 { _ = tries(asker("192.0.2.\(number)"), 100) }
        #expect(tries(asker("198.51.100.1"), 1) == 0)
        #expect(tries(asker("198.51.100.1", device: "s"), 1000) == budgets.device.capacity)
    }

    @Test func `bound the chance to guess a code in a day to one in ten thousand`() {
        var accounts: [String: AttemptBudget.Account] = [:]
        var codes = 0
        for minute in 0..<(24 * 60) {
            let now = Timestamp(milliseconds: Int64(minute) * 60_000)
            for number in 1...20 {
                let claims = budgets.codeRequest(asker("192.0.2.\(number)"))
                if AttemptClaim.take(claims, from: &accounts, now: now) == nil { codes += 1 }
            }
        }
        #expect(codes <= 20)
        #expect(Double(codes * CodePolicy().maximumFailures) / 1_000_000 <= 1e-4)
    }

    @Test func `do not lump everybody behind an unnamed proxy together`() {
        #expect(budgets.from(SourceAddress("127.0.0.1")).isEmpty)
        #expect(budgets.from(SourceAddress("192.0.2.1")).count == 1)
        #expect(budgets.from(SourceAddress("2001:db8::1")) == budgets.from(SourceAddress("2001:db8::2")))
    }
}
