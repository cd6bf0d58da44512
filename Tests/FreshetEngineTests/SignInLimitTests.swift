// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Source addresses` {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:4711", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"), ("::1", "::/64"), ("64:ff9b::192.0.2.7", "192.0.2.7"),
        ("64:ff9b:1::192.0.2.7", "64:ff9b:1::/64"),
    ])
    func `a source address counts as an IPv4 address or an IPv6 network of 64 bits`(text: String, network: String) {
        #expect(SourceAddress(text)?.network.description == network)
    }

    @Test func `all addresses of an IPv6 subscriber are one network, as are all notations of an IPv4 address`() throws {
        func network(_ text: String) throws -> SourceNetwork { try #require(SourceAddress(text)).network }
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(try network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
        #expect(try network("::ffff:192.0.2.7") == network("192.0.2.7"))
        #expect(try network("192.0.2.7") != network("192.0.2.8"))
        #expect(try network("192.0.2.7").bytes == [192, 0, 2, 7])
        #expect(try network("2001:db8:1:2::9").bytes == [0x20, 1, 0x0D, 0xB8, 0, 1, 0, 2])
    }

    @Test(arguments: [
        "", "x", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4, 5.6.7.8", "unknown", "_hidden", "::g", " ", "x::1]:443",
        "[::1", "[::1]x", "[::1]:8a", "192.0.2.7:8a", "192.0.2.7%eth0", "fe80::1%a b", "fe80::1%\u{600}",
    ])
    func `a text that is no valid source address is refused`(text: String) { #expect(SourceAddress(text) == nil) }

    @Test func `a source address has a text of two to sixty bytes`() {
        #expect(SourceAddress("::")?.description == "::")
        let zone = String(repeating: "z", count: 52)
        #expect(SourceAddress("fe80::1%\(zone)")?.description == "fe80::1")
        #expect(SourceAddress("fe80::1%\(zone)z") == nil)
        #expect(SourceAddress("[::1]:" + String(repeating: "4", count: 100)) == nil)
    }

    @Test func `a source address with a zero byte in its text is refused`() {
        #expect(SourceAddress(numeric: "192.0.2.7")?.description == "192.0.2.7")
        #expect(SourceAddress(numeric: "192.0.2.7\0") == nil)
        #expect(SourceAddress("192.0.2.7\0 and more") == nil)
    }

    @Test(arguments: [
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8", "::1"]),
        ("2001:db8::7", ["2001:db8::7"], ["2001:db8::6", "192.0.2.7"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "2001:db8::1"]),
        ("::/0", ["::", "2001:db8::1"], ["0.0.0.0", "192.0.2.7"]),
        ("10.0.0.0/8", ["10.255.0.1"], ["a00::1", "11.0.0.0"]),
    ])
    func `a range of addresses has those of its family with the same first bits`(
        text: String,
        members: [String],
        others: [String]
    ) throws {
        let range = try #require(AddressRange(text))
        for member in members { #expect(range.contains(try #require(SourceAddress(member)))) }
        for other in others { #expect(!range.contains(try #require(SourceAddress(other)))) }
    }

    @Test func `an address range contains the addresses with its prefix, and an invalid range is refused`() throws {
        let ten = try #require(AddressRange("10.16.0.0/12"))
        for (text, isIn) in [
            ("10.16.0.1", true), ("10.31.255.255", true), ("10.32.0.0", false), ("::ffff:10.17.0.1", true),
        ] {
            #expect(ten.contains(try #require(SourceAddress(text))) == isIn)
        }
        let six = try #require(AddressRange("2001:db8::/33"))
        #expect(six.contains(try #require(SourceAddress("2001:db8:7fff::1"))))
        #expect(!six.contains(try #require(SourceAddress("2001:db8:8000::1"))))
        for text in [
            "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "a/8", "10.0.0.0/", "10.0.0.0//8", "/8",
        ] {
            #expect(AddressRange(text) == nil)
        }
    }

    @Test(arguments: [
        // Only a trusted proxy's header is used.
        ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        // A client's own header comes to the left of the proxy's entry.
        ("10.0.0.1", ["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.66", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.66, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.66,,10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["192.0.2.66, \t198.51.100.1 \t, 10.0.0.2 \t"], "198.51.100.1"),
        // With the comma, U+0600 before it and U+0301 behind it are one `Character`.
        ("10.0.0.1", ["192.0.2.66%\u{600}, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.66%,\u{301}198.51.100.1"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.66%", "\u{301}, 198.51.100.1"], "198.51.100.1"),
    ])
    func `only trusted proxies name the source address`(peer: String, forwarded: [String], source: String) throws {
        let proxies = [try #require(AddressRange("10.0.0.0/24"))]
        let found = SourceAddress.source(peer: SourceAddress(peer), forwarded: forwarded, proxies: proxies)
        #expect(found?.description == source)
    }

    @Test(arguments: [(19, "198.51.100.1"), (20, "10.0.0.2")])
    func `at most twenty addresses of X-Forwarded-For are followed`(count: Int, source: String) throws {
        let proxies = [try #require(AddressRange("10.0.0.0/24"))]
        let forwarded = ["198.51.100.1"] + Array(repeating: "10.0.0.2", count: count)
        let found = SourceAddress.source(peer: SourceAddress("10.0.0.1"), forwarded: forwarded, proxies: proxies)
        #expect(found?.description == source)
    }

    @Test func `loopback addresses are recognized`() {
        #expect(SourceAddress("127.1.2.3")?.isLoopback == true)
        #expect(SourceAddress("::1")?.isLoopback == true)
        #expect(SourceAddress("::2")?.isLoopback == false)
    }
}

@Suite struct `Rate limits of signing in` {
    private let now = Timestamp(milliseconds: 0)
    private let limits = SignInRateLimits()

    private func origin(
        _ source: String,
        isKnown: Bool = false,
        device: KnownDevice? = nil
    ) throws -> SignInRateLimits.Origin {
        let ann = try #require(EmailAddress("ann@example.com"))
        return SignInRateLimits.Origin(
            account: ann,
            source: SourceAddress(source),
            isKnownNetwork: isKnown,
            device: device
        )
    }

    /// Charges a plan until it is refused.
    private func attempts(_ plan: RateLimitPlan, _ table: inout TokenBucketTable, atMost most: Int = 1000) -> Int {
        (0..<most).prefix { _ in isCharged(plan, &table, now) }.count
    }

    private func isCharged(_ plan: RateLimitPlan, _ table: inout TokenBucketTable, _ now: Timestamp) -> Bool {
        if case .charged = table.charge(plan.digested, now: now) { true } else { false }
    }

    @Test func `attempts from unknown networks do not use up the sign-in limits of known networks and devices`() throws
    {
        var table = TokenBucketTable()
        #expect(attempts(limits.password(try origin("192.0.2.1")), &table) == limits.attemptsFromNetwork.capacity)
        #expect(attempts(limits.password(try origin("192.0.2.2")), &table, atMost: 1) == 1)
        for number in 3...40 { _ = attempts(limits.password(try origin("192.0.2.\(number)")), &table) }
        #expect(attempts(limits.password(try origin("198.51.100.1")), &table) == 0)
        let known = try origin("203.0.113.9", isKnown: true)
        #expect(attempts(limits.password(known), &table) == limits.attemptsFromNetwork.capacity)
        for device in [KnownDevice.session(.random()), .browser("b")] {
            let known = limits.password(try origin("198.51.100.1", device: device))
            #expect(attempts(known, &table) == limits.attemptsOnDevice.capacity)
        }
    }

    @Test func `an attempt from a known device or network uses the general limits once its own are used up`() throws {
        var table = TokenBucketTable()
        let plan = limits.codeRequest(try origin("192.0.2.1", isKnown: true, device: .browser("b")))
        #expect(
            attempts(plan, &table)
                == limits.codesOnDevice.capacity + limits.codesFromKnownNetwork.capacity
                + limits.codesFromNetwork.capacity
        )
    }

    @Test func `a known device or network can request codes regardless of other clients' requests`() throws {
        var table = TokenBucketTable()
        var strangers = 0
        let stolen = KnownDevice.session(.random())
        for minute in 0..<(24 * 60) {
            let now = Timestamp(milliseconds: Int64(minute) * 60_000)
            for number in 1...20 where isCharged(limits.codeRequest(try origin("192.0.2.\(number)")), &table, now) {
                strangers += 1
            }
            // The owner asks every six hours, at home and on a phone.
            if minute % 360 == 0 {
                #expect(isCharged(limits.codeRequest(try origin("198.51.100.1", isKnown: true)), &table, now))
                #expect(isCharged(limits.codeRequest(try origin("203.0.113.5", device: .browser("b"))), &table, now))
            }
            // A stranger in another of the account's networks, and a thief with one of its devices.
            _ = isCharged(limits.codeRequest(try origin("198.51.100.9", isKnown: true)), &table, now)
            _ = isCharged(limits.codeRequest(try origin("192.0.2.1", device: stolen)), &table, now)
        }
        #expect(strangers <= 20)
        #expect(Double(strangers * CodePolicy().maximumFailures) / 1_000_000 <= 1e-4)
    }

    @Test func `the codes of one account are limited to sixty a day for all clients together`() throws {
        var table = TokenBucketTable()
        var codes = 0
        for minute in 0..<(24 * 60) {
            let now = Timestamp(milliseconds: Int64(minute) * 60_000)
            for number in 1...20 {
                for plan in [
                    limits.codeRequest(try origin("192.0.2.\(number)")),
                    limits.codeRequest(try origin("198.51.100.\(number)", isKnown: true)),
                    limits.codeRequest(try origin("203.0.113.1", device: .browser("\(number)"))),
                ] where isCharged(plan, &table, now) { codes += 1 }
            }
        }
        #expect(codes <= 60)
        #expect(Double(codes * CodePolicy().maximumFailures) / 1_000_000 <= 3e-4)
    }

    @Test func `a network is limited to thirty failed sign-ins in five minutes, regardless of the accounts`() throws {
        var table = TokenBucketTable()
        func attempt(_ number: Int, _ now: Timestamp) throws -> Bool {
            let account = try #require(EmailAddress("a\(number)@example.com"))
            let origin = SignInRateLimits.Origin(account: account, source: SourceAddress("2001:db8::\(number % 9)"))
            return isCharged(limits.password(origin), &table, now)
        }
        #expect(try (1...100).count { try attempt($0, now) } == 30)
        let later = now + .seconds(300)
        #expect(try (101...200).count { try attempt($0, later) } == 30)
    }

    @Test func `an attempt at an issued code is limited per code, an attempt at an unknown code per network`() throws {
        let source = SourceAddress("192.0.2.1")
        let issued = limits.code(attempt: "a", isIssued: true, from: source)
        #expect(issued.alternatives.map { $0.map(\.key) } == [[.codeAttempt("a")]])
        let network = try #require(source).network
        let madeUp = limits.code(attempt: "ann@example.com from 198.51.100.7", isIssued: false, from: source)
        #expect(
            madeUp.alternatives.map { $0.map(\.key) } == [
                [.network(.signInFailure, network), .network(.request, network)]
            ]
        )
    }

    @Test func `an OAuth client in its known network keeps its limit while other networks guess its secret`() throws {
        var table = TokenBucketTable()
        for number in 1...40 {
            let source = SourceAddress("192.0.2.\(number)")
            _ = attempts(limits.clientSecret("web", from: source, isKnownNetwork: false), &table)
        }
        let stranger = limits.clientSecret("web", from: SourceAddress("198.51.100.1"), isKnownNetwork: false)
        #expect(attempts(stranger, &table) == 0)
        let usual = limits.clientSecret("web", from: SourceAddress("203.0.113.1"), isKnownNetwork: true)
        #expect(attempts(usual, &table) == limits.secretsFromNetwork.capacity)
        let other = limits.clientSecret("other", from: SourceAddress("198.51.100.1"), isKnownNetwork: false)
        #expect(attempts(other, &table) == limits.secretsFromNetwork.capacity)
    }

    @Test func `sign-in limits do not group all clients behind an unnamed proxy`() {
        for loopback in ["127.0.0.1", "::1"] {
            #expect(limits.request(from: SourceAddress(loopback)).alternatives == [[]])
            #expect(limits.failure(from: SourceAddress(loopback)).alternatives == [[]])
        }
        #expect(limits.failure(from: SourceAddress("192.0.2.1")).alternatives.flatMap(\.self).count == 1)
        #expect(limits.request(from: SourceAddress("192.0.2.1")).alternatives.flatMap(\.self).count == 1)
        #expect(
            limits.request(from: SourceAddress("2001:db8::1")) == limits.request(from: SourceAddress("2001:db8::2"))
        )
    }
}
