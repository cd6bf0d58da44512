// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Observation

/// A session's state for a user interface, on the main actor and observable.
///
///     @State private var observed = ObservedSession(session)
///
///     switch observed.state {
///     case .unknown: ProgressView()
///     case .signedOut(let reason): SignInView(reason: reason)
///     case .recordUnusable: SignInView(reason: nil)
///     default: HomeView()
///     }
@MainActor @Observable
public final class ObservedSession {
    /// The session itself.
    @ObservationIgnored public let session: AuthSession
    /// What is known about it.
    public private(set) var status: SessionStatus
    @ObservationIgnored private let follower = TaskCanceller()

    /// Follows a session for as long as this object lives.
    public init(_ session: AuthSession) {
        self.session = session
        // Asked for before the first look, so that nothing falls in between.
        let events = session.events
        status = session.status
        follower.task.withLock { task in
            task = Task { [weak self] in
                for await _ in events {
                    guard let self else { return }
                    self.update()
                }
            }
        }
    }

    /// Where the session stands.
    public var state: SessionState { status.state }

    private func update() {
        let latest = session.status
        // An assignment of the same would have views drawn anew.
        if latest != status { status = latest }
    }
}

/// Ends a task when its owner goes, which an isolated owner cannot do itself on all systems.
private final class TaskCanceller: Sendable {
    let task = Locked<Task<Void, Never>?>(nil)

    deinit { task.withLock { $0?.cancel() } }
}
