// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetEngine

struct `Charges of removed mails` {
    private func source(_ number: Int) -> MailEntry.Source {
        MailEntry.Source(SourceAddress("192.0.2.\(number)"))
    }

    @Test func `more than 65,536 charges release the oldest one, and expired ones make room`() {
        var charges = MailShareCharges()
        for number in 1...2 { #expect(charges.add(source(number), until: .seconds(100)) == nil) }
        #expect(charges.add(source(3), until: .seconds(200)) == nil)
        let other = source(9)
        let released = (4...65_536).compactMap { _ in charges.add(other, until: .seconds(200)) }
        #expect(released.isEmpty)
        #expect(charges.add(other, until: .seconds(200)) == source(1))
        #expect(charges.expire(now: .seconds(100)) == [source(2)])
        #expect(charges.add(other, until: .seconds(200)) == nil)
        #expect(charges.add(other, until: .seconds(200)) == source(3))
    }

    @Test func `charges expire in their order, each once, however many expired before`() {
        var charges = MailShareCharges()
        for number in 1...7 { #expect(charges.add(source(number), until: .seconds(number)) == nil) }
        #expect(charges.expire(now: .milliseconds(999)) == [])
        #expect(charges.expire(now: .seconds(1)) == [source(1)])
        #expect(charges.expire(now: .seconds(5)) == (2...5).map(source))
        #expect(charges.add(source(8), until: .seconds(8)) == nil)
        #expect(charges.expire(now: .seconds(7)) == (6...7).map(source))
        #expect(charges.expire(now: .seconds(8)) == [source(8)])
        #expect(charges.expire(now: .seconds(9)) == [])
        #expect(charges.add(source(9), until: .seconds(9)) == nil)
        #expect(charges.expire(now: .seconds(9)) == [source(9)])
    }
}
