// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `The lifecycle of an app` {
    let bench = SessionFixture()
    let center = NotificationCenter()
    let identifier = UUID().uuidString

    private static let active = Notification.Name("active")
    private static let background = Notification.Name("background")
    private static let unlocked = Notification.Name("unlocked")

    @MainActor private func environment(isActive: Bool = false) -> LifecycleEnvironment {
        var environment = LifecycleEnvironment(
            center: center,
            signals: [Self.active: .becameActive, Self.background: .enteredBackground, Self.unlocked: .unlocked]
        )
        environment.isActive = { isActive }
        return environment
    }

    private var lifecycle: AuthSession.Lifecycle {
        AuthSession.Configuration.app(backgroundTask: identifier).lifecycle
    }

    /// Waits for the first event of a kind that `find` returns.
    private func first<Value>(_ events: AsyncStream<SessionEvent>, _ find: (SessionEvent.Kind) -> Value?) async
        -> Value?
    {
        for await event in events { if let value = find(event.kind) { return value } }
        return nil
    }

    private func phase(_ kind: SessionEvent.Kind) -> SessionPhase? {
        if case .phaseChanged(let phase) = kind { phase } else { nil }
    }

    // MARK: The decision

    @Test func `a lifecycle signal triggers only the actions of the enabled options`() {
        let all = AuthSession.Configuration.app(backgroundTask: "refresh").lifecycle
        #expect(all.actions(on: .becameActive) == [.enterForeground])
        #expect(all.actions(on: .enteredBackground) == [.enterBackground, .scheduleBackgroundRefresh("refresh")])
        #expect(all.actions(on: .unlocked) == [.reload])

        let foreground = AuthSession.Lifecycle(followsForeground: true)
        #expect(foreground.actions(on: .enteredBackground) == [.enterBackground])
        #expect(foreground.actions(on: .unlocked) == [])
        let task = AuthSession.Lifecycle(backgroundTask: "refresh")
        #expect(task.actions(on: .becameActive) == [])
        #expect(task.actions(on: .enteredBackground) == [.scheduleBackgroundRefresh("refresh")])
        for signal in [AuthSession.Lifecycle.Signal.becameActive, .enteredBackground, .unlocked] {
            #expect(AuthSession.Configuration().lifecycle.actions(on: signal) == [])
        }
    }

    // MARK: Notifications

    @MainActor
    @Test func `a session follows the app to the foreground and the background`() async throws {
        let session = try bench.session(store: InMemoryStore())
        let events = session.events
        session.follow(lifecycle, in: environment())
        center.post(name: Self.active, object: nil)
        #expect(await first(events, phase) == .foreground)
        center.post(name: Self.background, object: nil)
        #expect(await first(events, phase) == .background)
        center.post(name: Self.active, object: nil)
        #expect(await first(events, phase) == .foreground)
    }

    @MainActor
    @Test func `a session that is created in an active app starts in the foreground`() async throws {
        let session = try bench.session(store: InMemoryStore())
        let events = session.events
        session.follow(lifecycle, in: environment(isActive: true))
        #expect(await first(events, phase) == .foreground)
    }

    @MainActor
    @Test func `a session is loaded when the device is unlocked`() async throws {
        let keychain = FakeKeychain()
        try await bench.session(store: keychain.store(service: "example")).signIn(.test)
        keychain.device = .beforeFirstUnlock
        let session = try bench.session(store: keychain.store(service: "example"))
        session.follow(lifecycle, in: environment())
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        keychain.device = .locked
        center.post(name: Self.unlocked, object: nil)
        #expect(await states.next() == .active)
    }

    @MainActor
    @Test(arguments: [true, false])
    func `a background refresh is scheduled when the app leaves the foreground`(isAccepted: Bool) async throws {
        let session = try bench.session(store: InMemoryStore())
        let events = session.events
        let registered = Locked<[String]>([]), scheduled = Locked<[String]>([])
        var environment = environment()
        environment.registerBackgroundTask = { identifier in
            registered.withLock { $0.append(identifier) }
            return true
        }
        environment.scheduleBackgroundRefresh = { identifier in
            scheduled.withLock { $0.append(identifier) }
            return isAccepted
        }
        session.follow(lifecycle, in: environment)
        #expect(registered.withLock { $0 } == [identifier])
        center.post(name: Self.background, object: nil)
        let result = await first(events) { kind in
            if case .backgroundRefreshScheduled(let isScheduled) = kind { isScheduled } else { nil as Bool? }
        }
        #expect(result == isAccepted && scheduled.withLock { $0 } == [identifier])
    }

    @MainActor
    @Test func `a background task that the system has not registered is never scheduled`() async throws {
        let session = try bench.session(store: InMemoryStore())
        let events = session.events
        let scheduled = Locked(0)
        var environment = environment()
        environment.registerBackgroundTask = { _ in false }
        environment.scheduleBackgroundRefresh = { _ in
            scheduled.withLock { $0 += 1 }
            return true
        }
        session.follow(lifecycle, in: environment)
        center.post(name: Self.background, object: nil)
        let result = await first(events) { kind in
            if case .backgroundRefreshScheduled(let isScheduled) = kind { isScheduled } else { nil as Bool? }
        }
        #expect(result == false && scheduled.withLock { $0 } == 0)
    }

    @MainActor
    @Test func `a released session observes nothing, and is not retained`() throws {
        let calls = Locked(0)
        var environment = environment()
        environment.scheduleBackgroundRefresh = { _ in
            calls.withLock { $0 += 1 }
            return true
        }
        weak var released: AuthSession?
        do {
            let session = try bench.session(store: InMemoryStore())
            session.follow(lifecycle, in: environment)
            released = session
        }
        #expect(released == nil)
        center.post(name: Self.background, object: nil)
        #expect(calls.withLock { $0 } == 0)
    }

    // MARK: Background tasks

    @Test func `several sessions share a background task, whose handler is registered once`() async throws {
        let sessions = BackgroundTaskSessions()
        let calls = Locked(0)
        let register: (String) -> Bool = { _ in
            calls.withLock { calls in
                calls += 1
                return calls > 1
            }
        }
        let first = try bench.session(store: InMemoryStore())
        #expect(!sessions.add(first, to: "refresh", register: register), "the system refused it")
        let second = try bench.session(store: InMemoryStore())
        #expect(sessions.add(second, to: "refresh", register: register))
        #expect(sessions.add(first, to: "refresh", register: register))
        #expect(calls.withLock { $0 } == 2)

        #expect(sessions.nextDate(of: "refresh") == nil, "no user is signed in")
        try await first.signIn(.test)
        try await second.signIn(.test)
        #expect(sessions.nextDate(of: "refresh") == first.nextBackgroundRefresh)
        #expect(await sessions.refresh("refresh"))
        #expect(bench.backend.counts.refreshes == 2)
        #expect(await sessions.refresh("other"), "without a session, all work is done")
    }

    @Test func `a released session takes no part in a background task`() async throws {
        let sessions = BackgroundTaskSessions()
        do {
            let session = try bench.session(store: InMemoryStore())
            try await session.signIn(.test)
            sessions.add(session, to: "refresh") { _ in true }
            #expect(sessions.nextDate(of: "refresh") != nil)
        }
        #expect(sessions.nextDate(of: "refresh") == nil)
        #expect(await sessions.refresh("refresh"))
        #expect(bench.backend.counts.refreshes == 0)
    }
}
