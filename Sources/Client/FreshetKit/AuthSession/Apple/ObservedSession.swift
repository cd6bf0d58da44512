// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Observation

/// An observable session state for a user interface, on the main actor.
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
    /// The observed session.
    @ObservationIgnored public let session: AuthSession
    /// A snapshot of the session.
    public private(set) var status: SessionStatus
    @ObservationIgnored private let follower = TaskCanceller()

    /// Observes a session until this object is released.
    public init(_ session: AuthSession) {
        self.session = session
        // Created before the first read, so that no event is missed.
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

    /// The session's state.
    public var state: SessionState { status.state }

    private func update() {
        let latest = session.status
        // Assigning an equal value would redraw views.
        if latest != status { status = latest }
    }
}

/// Cancels a task in `deinit`, which an isolated class cannot do on all systems.
private final class TaskCanceller: Sendable {
    let task = Locked<Task<Void, Never>?>(nil)

    deinit { task.withLock { $0 }?.cancel() }
}
