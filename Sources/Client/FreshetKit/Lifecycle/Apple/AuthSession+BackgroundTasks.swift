// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(BackgroundTasks) && !os(macOS) && !os(watchOS)
    public import BackgroundTasks
    internal import Foundation

    extension AuthSession {
        /// Lets the system refresh the session now and then while the app is in the background.
        ///
        /// Call it before the app has finished launching, and name the identifier in the app's `Info.plist` under
        /// `BGTaskSchedulerPermittedIdentifiers`. It is a hint: the system promises no time, and a session that is never
        /// refreshed in the background is refreshed when it is next wanted.
        ///
        /// - Parameter identifier: The task's identifier.
        /// - Returns: Whether the system took it.
        @discardableResult
        public func register(backgroundTask identifier: String) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { [weak self] task in
                guard let self else { return task.setTaskCompleted(success: false) }
                handle(task)
            }
        }

        /// Asks the system for a moment in the background when the access token is due.
        ///
        /// Call it when the app leaves the foreground; a request that was made before is replaced. Each such moment asks
        /// for the next one.
        public func scheduleBackgroundRefresh(_ identifier: String) {
            guard let date = nextBackgroundRefresh else {
                return BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
            }
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = date
            // The user may have switched background refresh off; the next call for a token refreshes.
            try? BGTaskScheduler.shared.submit(request)
        }

        /// Does what ``refreshInBackground()`` does and tells the system of its end, for an app that registers the task itself.
        public func handle(_ task: BGTask) {
            let completion = TaskCompletion(task), identifier = task.identifier
            // First, so that there is a next moment whatever becomes of this one.
            scheduleBackgroundRefresh(identifier)
            // What is under way then goes on when the app next runs; nothing is lost by telling the system at once.
            task.expirationHandler = { completion.finish(false) }
            Task {
                let isDone = await refreshInBackground()
                scheduleBackgroundRefresh(identifier)
                completion.finish(isDone)
            }
        }
    }

    /// Tells the system once how a task ended.
    private final class TaskCompletion: @unchecked Sendable {
        // The system's object may be told from any thread.
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
