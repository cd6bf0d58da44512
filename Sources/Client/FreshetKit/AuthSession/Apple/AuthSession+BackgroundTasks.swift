// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(BackgroundTasks) && !os(macOS) && !os(watchOS)
    public import BackgroundTasks
    internal import Foundation

    extension AuthSession {
        /// Registers a background task that refreshes the session.
        ///
        /// Call it before the app has finished launching, and list the identifier in the app's `Info.plist` under
        /// `BGTaskSchedulerPermittedIdentifiers`. The system does not guarantee that the task runs; a session that is
        /// not refreshed in the background is refreshed on demand.
        ///
        /// - Parameter identifier: The task's identifier.
        /// - Returns: Whether the system accepted it.
        @discardableResult
        public func register(backgroundTask identifier: String) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { [weak self] task in
                guard let self else { return task.setTaskCompleted(success: false) }
                handle(task)
            }
        }

        /// Schedules a background refresh for the time at which the access token is due.
        ///
        /// Call it when the app leaves the foreground; it replaces an earlier request. Each background refresh
        /// schedules the next one.
        public func scheduleBackgroundRefresh(_ identifier: String) {
            guard let date = nextBackgroundRefresh else {
                return BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
            }
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = date
            // The user may have disabled background refresh; then the token is refreshed on demand.
            try? BGTaskScheduler.shared.submit(request)
        }

        /// Runs ``refreshInBackground()`` and completes the task, for an app that registers the task itself.
        public func handle(_ task: BGTask) {
            let completion = TaskCompletion(task), identifier = task.identifier
            // The next refresh is scheduled first, so that it does not depend on the result of this one.
            scheduleBackgroundRefresh(identifier)
            // A refresh in progress continues when the app next runs; completing the task loses nothing.
            task.expirationHandler = { completion.finish(false) }
            Task {
                let isDone = await refreshInBackground()
                scheduleBackgroundRefresh(identifier)
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
