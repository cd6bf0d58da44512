// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tells everybody who listens what happened, after it is on disk and before the answer leaves.
package struct ServerEvents: Sendable {
    /// Called on whatever thread the event happens; it must not wait.
    package typealias Listener = @Sendable (ServerEvent) -> Void

    private let listeners: [Listener]

    package init(_ listeners: [Listener] = []) {
        self.listeners = listeners
    }

    package func emit(_ event: ServerEvent) { for listener in listeners { listener(event) } }
}
