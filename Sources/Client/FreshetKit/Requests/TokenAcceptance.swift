// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tells of the next call that the server accepts, to owners of work that a refused token holds.
///
/// A call costs no more than a lock while nothing is held.
final class TokenAcceptance: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    /// Calls `body` once, at the next accepted call.
    func onNext(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

    /// The server accepted a call with the session's token.
    func signal() {
        let bodies = waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [@Sendable () -> Void]() }
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
