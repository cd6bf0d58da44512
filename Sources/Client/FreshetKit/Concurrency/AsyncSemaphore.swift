// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A semaphore that allows one connection to a URL at a time, across socket objects.
///
/// The actor guards the flag and the queue of waiters. Every holder releases it in bounded time, so waiting needs no
/// timeout.
actor AsyncSemaphore {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
