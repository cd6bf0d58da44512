// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Hummingbird
import ServiceLifecycle

/// Publishes a counter to every socket at a fixed interval, for development without an application.
package struct DevelopmentTicker: Service {
    let interval: Duration
    let hub: SocketHub

    package init(interval: Duration, hub: SocketHub) {
        self.interval = interval
        self.hub = hub
    }

    func run() async throws {
        var number = 0
        while await isNext() {
            number += 1
            _ = await hub.publish(.text(#"{"type":"tick","number":\#(number)}"#), to: .all)
        }
    }

    private func isNext() async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            return true
        } catch {
            return false
        }
    }
}
