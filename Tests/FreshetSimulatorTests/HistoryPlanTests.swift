// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetSimulator
    import Testing

    struct `Plans of histories` {
        @Test(arguments: [1, 7, 11, 4711, 20137, 300_000])
        func `a shrunk plan contains only the lines that its property requires`(seed: UInt64) throws {
            let plan = HistoryPlan(seed: seed)
            let action = try #require(lines(of: plan).last { $0.contains("(device ") })
            let short = plan.shrunk { lines(of: $0).contains(action) }
            let text = lines(of: short)
            #expect(text.count == 4 && text.last == action && text[2] == "faults of the network: none", "\(short.text)")
            #expect(lines(of: plan).count > 4)
        }

        private func lines(of plan: HistoryPlan) -> [Substring] { plan.text.split(separator: "\n") }
    }
#endif
