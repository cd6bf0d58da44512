// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Logging
import ServiceLifecycle

/// Looks at the key folder now and then, and makes the next key when it is due.
struct KeyWatch: Service {
    let keys: LiveKeys
    let administration: KeyAdministration
    let configuration: KeyConfiguration
    let log: Logger
    let clock: @Sendable () -> Timestamp

    func run() async throws {
        while await isNext() { look() }
    }

    /// Looks once.
    func look() {
        let now = clock()
        do {
            if let interval = configuration.rotation {
                for kind in KeyKind.allCases {
                    guard let id = try administration.rotateIfDue(kind, interval: interval, now: now) else { continue }
                    log.notice("new key", metadata: ["kind": "\(kind.rawValue)", "id": "\(id)"])
                }
                try administration.retireOutdated(now: now)
            }
            if try keys.reload(now: now) { log.notice("keys changed") }
        } catch {
            // What was read before goes on.
            log.error("the keys cannot be read", error: error)
        }
    }

    private func isNext() async -> Bool {
        do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: configuration.interval) }
            return true
        } catch {
            return false
        }
    }
}
