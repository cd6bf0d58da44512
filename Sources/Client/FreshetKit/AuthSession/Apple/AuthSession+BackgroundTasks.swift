// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(BackgroundTasks) && !os(macOS) && !os(watchOS)
    public import BackgroundTasks
    internal import Foundation

    extension AuthSession {
        /// Registers a background task that refreshes the session.
        ///
        /// ``AuthSession/Configuration/app(backgroundTask:)`` does so by itself. Call it before the app has finished launching,
        /// and list the identifier in the app's `Info.plist` under `BGTaskSchedulerPermittedIdentifiers`. The system
        /// does not guarantee that the task runs; a session that is not refreshed in the background is refreshed on
        /// demand.
        ///
        /// - Parameter identifier: The task's identifier. Several sessions may have the same.
        /// - Returns: Whether the system accepted it.
        @discardableResult
        public func register(backgroundTask identifier: String) -> Bool {
            let sessions = BackgroundTaskSessions.shared
            return sessions.add(self, to: identifier) { sessions.registerHandler(of: $0) }
        }

        /// Schedules a background refresh for the time at which the access token is due.
        ///
        /// Call it when the app leaves the foreground; it replaces an earlier request. Each background refresh
        /// schedules the next one.
        public func scheduleBackgroundRefresh(_ identifier: String) {
            _ = BackgroundTaskSessions.shared.schedule(identifier, notAfter: nextBackgroundRefresh)
        }

        /// Runs ``refreshInBackground()`` and completes the task, for an app that registers the task itself.
        public func handle(_ task: BGTask) {
            let identifier = task.identifier
            task.complete(scheduling: { [self] in scheduleBackgroundRefresh(identifier) }) { [self] in
                await refreshInBackground()
            }
        }
    }

    extension BackgroundTaskSessions {
        /// Registers the handler that refreshes the sessions of a task.
        ///
        /// - Returns: Whether the system accepted it.
        func registerHandler(of identifier: String) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { [self] task in
                task.complete(scheduling: { [self] in _ = schedule(identifier) }) { [self] in
                    await refresh(identifier)
                }
            }
        }

        /// Schedules the next run of a task, in place of the scheduled one.
        ///
        /// - Parameters:
        ///   - identifier: The task's identifier.
        ///   - date: The time that a session needs which does not belong to the task.
        /// - Returns: Whether the system accepted it; `nil` if none is needed.
        func schedule(_ identifier: String, notAfter date: Date? = nil) -> Bool? {
            guard let date = [nextDate(of: identifier), date].compactMap(\.self).min() else {
                BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
                return nil
            }
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = date
            // The user may have disabled background refresh; then the token is refreshed on demand.
            do { try BGTaskScheduler.shared.submit(request) } catch { return false }
            return true
        }
    }

    extension BGTask {
        /// Runs the work of a background refresh, and completes the task.
        ///
        /// - Parameters:
        ///   - schedule: Schedules the next refresh.
        ///   - work: Refreshes, and returns whether all work is done.
        fileprivate func complete(
            scheduling schedule: @escaping @Sendable () -> Void,
            after work: @escaping @Sendable () async -> Bool
        ) {
            let completion = TaskCompletion(self)
            // The next refresh is scheduled first, so that it does not depend on the result of this one.
            schedule()
            // A refresh in progress continues when the app next runs; completing the task loses nothing.
            expirationHandler = { completion.finish(false) }
            Task {
                let isDone = await work()
                schedule()
                completion.finish(isDone)
            }
        }
    }

    /// Completes a task once.
    private final class TaskCompletion: @unchecked Sendable {
        // `setTaskCompleted` may be called from any thread.
        private let task: BGTask
        private let isTold = Locked(false)

        init(_ task: BGTask) { self.task = task }

        func finish(_ isDone: Bool) {
            let wasTold = isTold.withLock { isTold in
                defer { isTold = true }
                return isTold
            }
            if !wasTold { task.setTaskCompleted(success: isDone) }
        }
    }
#endif
