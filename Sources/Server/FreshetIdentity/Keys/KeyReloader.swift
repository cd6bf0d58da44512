// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import Logging
import ServiceLifecycle

/// Reloads the key directory at an interval and rotates keys when they are due.
package struct KeyReloader: Service {
    let keys: CurrentKeys
    package let administration: KeyAdministration
    let configuration: KeyConfiguration
    let log: Logger
    let clock: ServerClock
    private let executor: BlockingExecutor

    package init(
        keys: CurrentKeys,
        administration: KeyAdministration,
        configuration: KeyConfiguration,
        log: Logger,
        clock: ServerClock,
        executor: BlockingExecutor? = nil
    ) {
        self.keys = keys
        self.administration = administration
        self.configuration = configuration
        self.log = log
        self.clock = clock
        self.executor = executor ?? .newThreads
    }

    func run() async throws {
        while await waitForInterval() { await reloadInBackground() }
    }

    /// Reloads once, on a thread of its own by default: the key command and the database may block.
    package func reloadInBackground(isForced: Bool = false) async {
        try? await executor.run { reload(isForced: isForced) }
    }

    /// Reloads once, including external keys if they are due or `isForced` is set.
    func reload(isForced: Bool = false) {
        let reading = clock.reading()
        let now = reading.now
        do {
            let gone = try administration.renew(now: now, interval: isForced ? .zero : configuration.commandInterval)
            for name in gone ?? [] {
                log.warning(
                    "a key was removed from its source; tokens and codes made with it are refused",
                    metadata: ["key": "\(name)"]
                )
            }
        } catch {
            log.error("the keys' source cannot be read; the keys stay as they are", metadata: ["why": "\(error)"])
        }
        do {
            try administration.recordExternalKeys(now: now)
            // Retiring a key invalidates its tokens permanently.
            if let interval = configuration.rotation, reading.isTrusted {
                for kind in KeyKind.allCases {
                    guard let id = try administration.rotateIfDue(kind, interval: interval, now: now) else { continue }
                    log.notice("new key", metadata: ["kind": "\(kind.rawValue)", "id": "\(id)"])
                }
            }
            if try keys.reload(now: now) { log.notice("keys changed") }
        } catch {
            // The keys loaded before stay in use.
            log.error("the keys cannot be read", error: error)
        }
        guard configuration.rotation != nil, reading.isTrusted else { return }
        do {
            // It reads the table of sessions, which may fail; the keys are reloaded anyway.
            try administration.retireOutdated(now: now)
            if try keys.reload(now: now) { log.notice("keys changed") }
        } catch {
            log.error("outdated keys cannot be retired", error: error)
        }
    }

    private func waitForInterval() async -> Bool {
        do {
            try await sleepUntilShutdown(for: configuration.interval)
            return true
        } catch {
            return false
        }
    }
}
