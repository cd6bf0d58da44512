// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `A sparse table` {
    @Test(arguments: [1, 255, 256, 257, 65_536])
    func `each place of a sparse table is zero until it is set`(count: Int) {
        var table = SparseTable(count: count)
        #expect(table.count == count)
        let places = [0, count / 2, count - 1]
        for place in places { #expect(table[place] == 0) }
        for place in places { table[place] = place + 1 }
        for place in places { #expect(table[place] == place + 1) }
        let others = (0..<count).filter { !places.contains($0) }
        #expect(others.allSatisfy { table[$0] == 0 })
        for hash in [Int.min, -1, 0, 1, .max] { #expect((0..<count).contains(table.place(of: hash))) }
    }

    @Test func `a sparse table has at least one place`() { #expect(SparseTable(count: 0).count == 1) }
}
