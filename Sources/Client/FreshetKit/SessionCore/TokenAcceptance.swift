// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Notifies its observers when the server accepts the next request, so that work held back by a refused token can
/// continue.
///
/// Costs only a lock per request while no work is held back.
final class TokenAcceptance: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    /// Calls `body` once, at the next accepted request.
    func onNext(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

    /// Records that the server accepted a request with the session's token.
    func signal() {
        let bodies = waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [@Sendable () -> Void]() }
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
    }
}
