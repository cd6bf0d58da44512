// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

/// The system's promise not to suspend the process, given and taken by a test.
final class FakeActivity: Sendable {
    struct Waiter {
        var isMet: @Sendable (Content) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    struct Content {
        /// Whether the system promises anything, as it does not in the background when time is up.
        var isGranting = true
        /// How many activities were begun.
        var begun = 0
        var bodies: [Int: @Sendable (Bool) -> Void] = [:]
        var waiters: [Waiter] = []
    }

    private let content = Locked(Content())

    var isGranting: Bool {
        get { content.withLock { $0.isGranting } }
        set { change { $0.isGranting = newValue } }
    }

    var begun: Int { content.withLock { $0.begun } }
    /// How many activities go on.
    var running: Int { content.withLock { $0.bodies.count } }

    var activity: ExpiringActivity {
        ExpiringActivity { [self] _, body in
            let (number, isGranting) = change { content in
                content.begun += 1
                if content.isGranting { content.bodies[content.begun] = body }
                return (content.begun, content.isGranting)
            }
            Thread.detachNewThread { [self] in
                body(!isGranting)
                change { $0.bodies[number] = nil }
            }
        }
    }

    /// The system is about to suspend the process; returns when it may.
    func expire() {
        isGranting = false
        for body in content.withLock({ Array($0.bodies.values) }) { body(true) }
    }

    /// Returns when something is so.
    func until(_ isMet: @escaping @Sendable (Content) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiters.append(Waiter(isMet: isMet, continuation: continuation)) }
        }
    }

    /// Returns when no activity goes on any more: its thread ends a moment after the lock.
    func untilIdle() async { await until { $0.bodies.isEmpty } }

    @discardableResult
    private func change<Value>(_ change: (inout Content) -> Value) -> Value {
        let (value, met) = content.withLock { content in
            let value = change(&content)
            let now = content
            content.waiters.removeAll { $0.isMet(now) }
            return (value, now.waiters.filter { $0.isMet(now) })
        }
        for waiter in met { waiter.continuation.resume() }
        return value
    }
}
