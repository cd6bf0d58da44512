// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Observes an app's lifecycle for a session, until it is released with the session.
final class LifecycleObserver: @unchecked Sendable {
    // Both are written by `init` only.
    private let center: NotificationCenter
    private let observers: [any NSObjectProtocol]

    @MainActor
    init(_ session: AuthSession, _ lifecycle: AuthSession.Lifecycle, in environment: LifecycleEnvironment) {
        center = environment.center
        let schedule = environment.scheduleBackgroundRefresh
        observers = environment.signals.map { name, signal in
            let actions = lifecycle.actions(on: signal)
            return environment.center.addObserver(forName: name, object: nil, queue: nil) { [weak session] _ in
                session?.perform(actions, schedule)
            }
        }
        // The app may have become active before the session was created.
        if environment.isActive() { session.perform(lifecycle.actions(on: .becameActive), schedule) }
    }

    deinit { for observer in observers { center.removeObserver(observer) } }
}

extension AuthSession {
    /// Starts to follow the app's lifecycle, as the configuration says.
    ///
    /// The system accepts background tasks until the app has finished launching, so a session that is created on the
    /// main thread registers its task at once. On another thread, the launch may end at any moment, and the system
    /// terminates an app that registers a task later: such a session has no background task.
    func followLifecycle() {
        let lifecycle = configuration.lifecycle
        guard lifecycle != Lifecycle() else { return }
        if Thread.isMainThread {
            MainActor.assumeIsolated {
                guard let environment = LifecycleEnvironment.system else { return }
                follow(lifecycle, in: environment)
            }
        } else {
            Task { @MainActor [weak self] in
                guard let environment = LifecycleEnvironment.system else { return }
                self?.follow(lifecycle, in: environment, registersTask: false)
            }
        }
    }

    /// Follows the app's lifecycle in an environment, in place of any earlier one.
    @MainActor
    func follow(_ lifecycle: Lifecycle, in environment: LifecycleEnvironment, registersTask: Bool = true) {
        if let identifier = lifecycle.backgroundTask {
            BackgroundTaskSessions.shared.add(self, to: identifier) { identifier in
                registersTask && environment.registerBackgroundTask(identifier)
            }
        }
        let observer = LifecycleObserver(self, lifecycle, in: environment)
        lifecycleObserver.withLock { $0 = observer }
    }

    /// Performs the reactions to a notification, which is posted on any thread.
    fileprivate func perform(
        _ actions: [Lifecycle.Action],
        _ schedule: @escaping @MainActor @Sendable (_ identifier: String) -> Bool?
    ) {
        for action in actions {
            switch action {
            case .enterForeground: enterForeground()
            case .enterBackground: enterBackground()
            case .reload: Task { await reload() }
            case .scheduleBackgroundRefresh(let identifier):
                let work: @MainActor @Sendable () -> Void = { [self] in
                    // The system terminates an app that submits a task without a handler.
                    let isRegistered = BackgroundTaskSessions.shared.isRegistered(identifier)
                    guard let isScheduled = isRegistered ? schedule(identifier) : false else { return }
                    published.emit(.backgroundRefreshScheduled(isScheduled))
                }
                // The system posts its notifications on the main thread, and may suspend the app soon after.
                if Thread.isMainThread { MainActor.assumeIsolated(work) } else { Task { @MainActor in work() } }
            }
        }
    }
}
