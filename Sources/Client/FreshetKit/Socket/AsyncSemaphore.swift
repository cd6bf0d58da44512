// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Lets one connection to a URL exist at a time, whichever socket object wants it.
///
/// Isolation guards who is in and who waits; whoever is in leaves in bounded time, so nobody's wait needs an end of its
/// own.
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
