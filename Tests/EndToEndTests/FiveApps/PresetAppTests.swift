// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

/// The SDK with each app's preset, at the fake of the app's own backend and at our server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `The SDK with the apps' presets` {
    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a session with an app's preset refreshes once for all concurrent callers`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            #expect(try await preset.call() == app.resource.status)
            try await preset.endAccessToken()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await preset.call() } }
                for try await status in group { #expect(status == app.resource.status) }
            }
            #expect(preset.session.statistics.refreshes == 1)
            #expect(preset.session.state == .active)
        }
    }

    /// Whether a used refresh token is answered again, or never used up.
    private func forgivesLostAnswers(_ app: FiveApp, _ kind: AppDeployment.Kind) -> Bool {
        kind == .served || app == .bitbasel || app == .melchat
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a session with an app's preset continues after a lost refresh response, or ends with a reason`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            preset.loseRefreshAnswers(1)
            if forgivesLostAnswers(app, kind) {
                try await preset.session.refresh()
                #expect(try await preset.call() == app.resource.status)
                #expect(preset.session.state == .active)
            } else {
                await #expect(throws: SessionError.self) { try await preset.session.refresh() }
                guard case .signedOut(_?) = preset.session.state else {
                    Issue.record("\(preset.session.state)")
                    return
                }
            }
        }
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a double tap on the sign-in leaves one session that works`(app: FiveApp, kind: AppDeployment.Kind)
        async throws
    {
        try await PresetApp.run(app, kind) { preset in
            let credentials = try await preset.credentials()
            let results = await withTaskGroup(of: Result<SignInResult, any Error>.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do { return .success(try await preset.session.signIn(credentials)) } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.contains { if case .success = $0 { true } else { false } }, "\(results)")
            #expect(preset.session.state == .active)
            await preset.session.deliverPendingLogouts()
            #expect(try await preset.call() == app.resource.status)
            try await preset.session.refresh()
            #expect(try await preset.call() == app.resource.status)
            #expect(!preset.session.status.hasPendingLogout)
        }
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a call during an account switch succeeds or reports that its session was replaced`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            let first = try preset.tokens
            let credentials = try await preset.credentials(AppDeployment.people[1])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        do {
                            let status = try await preset.call()
                            #expect(status == app.resource.status)
                        } catch {
                            #expect(error as? SessionError == .signedOut(.replaced))
                        }
                    }
                }
                group.addTask { try await preset.session.signIn(credentials) }
                try await group.waitForAll()
            }
            #expect(try preset.tokens.refresh != first.refresh)
            #expect(try await preset.call() == app.resource.status)
            await preset.session.deliverPendingLogouts()
            #expect(!preset.session.status.hasPendingLogout)
            if app == .melchat { #expect(try await preset.place.refreshStatus(first.refresh) == 401) }
        }
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a sign-out is sent where the app has an endpoint`(app: FiveApp, kind: AppDeployment.Kind) async throws {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            let refresh = try preset.tokens.refresh
            try await preset.session.signOut()
            #expect(preset.session.state == .signedOut(.requested))
            await #expect(throws: SessionError.signedOut(.requested)) { try await preset.call() }
            #expect(!preset.session.status.hasPendingLogout)
            switch (app, kind) {
            case (_, .served), (.melchat, _): #expect(try await preset.place.refreshStatus(refresh) == 401)
            // Nothing ends a session at these backends but its time.
            case (_, .fake): break
            }
            try await preset.signIn()
            #expect(try await preset.call() == app.resource.status)
        }
    }

    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `a session that the backend ends is signed out with a reason, and can sign in again`(
        app: FiveApp,
        kind: AppDeployment.Kind
    )
        async throws
    {
        try await PresetApp.run(app, kind) { preset in
            try await preset.signIn()
            try await preset.place.endSessions(of: preset.tokens.access)
            await #expect(throws: SessionError.self) { try await preset.call() }
            guard case .signedOut(_?) = preset.session.state else {
                Issue.record("\(preset.session.state)")
                return
            }
            try await preset.signIn()
            #expect(try await preset.call() == app.resource.status)
        }
    }
}
