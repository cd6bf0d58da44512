// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The sessions that each background task of the process refreshes.
///
/// The system accepts one handler for each identifier, and terminates an app that registers a second one, as the
/// session of another account or of the next sign-in would.
final class BackgroundTaskSessions: Sendable {
    static let shared = BackgroundTaskSessions()

    private struct Entry {
        var sessions: [WeakSession] = []
        var isRegistered = false
    }

    private struct WeakSession {
        weak var session: AuthSession?
    }

    private let tasks = Locked<[String: Entry]>([:])

    /// Adds a session to a task, whose handler is registered first if it is not registered yet.
    ///
    /// - Returns: Whether the task is registered.
    @discardableResult
    func add(_ session: AuthSession, to identifier: String, register: (String) -> Bool) -> Bool {
        tasks.withLock { tasks in
            var task = tasks[identifier] ?? Entry()
            task.sessions.removeAll { $0.session == nil || $0.session === session }
            task.sessions.append(WeakSession(session: session))
            if !task.isRegistered { task.isRegistered = register(identifier) }
            tasks[identifier] = task
            return task.isRegistered
        }
    }

    /// Whether the system has accepted a handler of a task.
    func isRegistered(_ identifier: String) -> Bool { tasks.withLock { $0[identifier]?.isRegistered ?? false } }

    /// The earliest time at which a task would be useful to one of its sessions; `nil` if to none.
    func nextDate(of identifier: String) -> Date? { sessions(of: identifier).compactMap(\.nextBackgroundRefresh).min() }

    /// Refreshes the sessions of a task.
    ///
    /// - Returns: Whether all work is done.
    func refresh(_ identifier: String) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for session in sessions(of: identifier) { group.addTask { await session.refreshInBackground() } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    private func sessions(of identifier: String) -> [AuthSession] {
        tasks.withLock { $0[identifier]?.sessions.compactMap(\.session) ?? [] }
    }
}
