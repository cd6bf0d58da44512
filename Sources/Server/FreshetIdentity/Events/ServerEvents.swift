// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Delivers server events to their listeners, after the commit and before the response is sent.
package struct ServerEvents: Sendable {
    /// Called synchronously on the thread of the event; must not block.
    package typealias Listener = @Sendable (ServerEvent) -> Void

    private let listeners: [Listener]

    package init(_ listeners: [Listener] = []) {
        self.listeners = listeners
    }

    package func emit(_ event: ServerEvent) { for listener in listeners { listener(event) } }
}
