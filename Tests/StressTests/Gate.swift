// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Lets many operations run side by side, or one alone.
actor Gate {
    private var running = 0
    private var isExclusive = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func shared<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        while isExclusive { await turn() }
        running += 1
        let value = await body()
        running -= 1
        wake()
        return value
    }

    func exclusive<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        while isExclusive || running > 0 { await turn() }
        isExclusive = true
        let value = await body()
        isExclusive = false
        wake()
        return value
    }

    private func turn() async { await withCheckedContinuation { waiting.append($0) } }

    private func wake() {
        let all = waiting
        waiting = []
        for waiter in all { waiter.resume() }
    }
}
