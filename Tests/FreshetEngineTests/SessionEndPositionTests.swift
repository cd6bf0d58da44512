// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

@Suite struct `Positions of ended sessions` {
    private let time = Timestamp(milliseconds: 1_800_000_000_000)
    private let zeros = [UInt8](repeating: 0, count: 16)

    /// IDs in the order of their text.
    private static let ids = [
        "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-00000000000a",
        "00000000-0000-0000-0000-000000000010", "00000000-0000-0000-0000-0000000000a0",
        "09000000-0000-0000-0000-000000000000", "0a000000-0000-0000-0000-000000000000",
        "7f000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
    ]

    @Test func `the position before a time precedes each session that ended then, and follows earlier ones`() throws {
        let before = SessionEndPosition.before(time)
        #expect(before.at == time)
        #expect(before.session.bytes == zeros)
        for text in Self.ids {
            let id = try #require(SessionID(text))
            #expect(before < SessionEndPosition(at: time, session: id))
            #expect(SessionEndPosition(at: time + .milliseconds(-1), session: id) < before)
        }
    }

    @Test func `sessions that ended at the same time are in the order of their IDs`() throws {
        let positions = try Self.ids.map { SessionEndPosition(at: time, session: try #require(SessionID($0))) }
        for (row, left) in positions.enumerated() {
            for (column, right) in positions.enumerated() {
                #expect((left < right) == (row < column))
                #expect((left == right) == (row == column))
            }
        }
    }

    @Test func `sessions that ended at different times are in the order of the times, not of their IDs`() throws {
        let first = try #require(SessionID(Self.ids[0]))
        let last = try #require(SessionID(Self.ids[7]))
        let later = time + .milliseconds(1)
        for (one, other) in [(first, last), (last, first), (first, first)] {
            let early = SessionEndPosition(at: time, session: one)
            let late = SessionEndPosition(at: later, session: other)
            #expect(early < late)
            #expect(!(late < early))
        }
    }
}
