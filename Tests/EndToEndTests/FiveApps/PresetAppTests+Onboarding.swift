// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

extension FiveApp {
    /// The screens that an app shows at its users' first and second sign-in, and after a profile was stored.
    struct OnboardingSteps: Sendable {
        var first = Onboarding()
        var second = Onboarding()
        /// Where the app stores a profile, and what the next sign-in says.
        var profile: (path: String, onboarding: Onboarding)?
    }

    /// As the apps' teams describe the answers of their backends; the other three tell nothing of the user.
    var onboarding: OnboardingSteps {
        switch self {
        case .authservice, .creatist, .outbox: OnboardingSteps()
        case .bitbasel:
            OnboardingSteps(
                first: Onboarding(hasProfile: false),
                second: Onboarding(hasProfile: false),
                profile: ("/profile", Onboarding(hasProfile: true))
            )
        case .melchat:
            OnboardingSteps(
                first: Onboarding(isNewUser: true),
                second: Onboarding(isNewUser: false),
                profile: ("/api/me", Onboarding(isNewUser: false))
            )
        }
    }
}

extension Onboarding {
    init(_ result: SignInResult) { self.init(isNewUser: result.isNewUser, hasProfile: result.hasProfile) }
}

extension `The SDK with the apps' presets` {
    @Test(arguments: FiveApp.allCases, AppDeployment.Kind.allCases)
    func `the first and the second sign-in lead to the right onboarding`(
        app: FiveApp,
        kind: AppDeployment.Kind
    ) async throws {
        try await PresetApp.run(app, kind) { preset in
            let steps = app.onboarding
            let first = try await preset.signIn()
            #expect(Onboarding(first) == steps.first)
            try await preset.session.signOut()
            let second = try await preset.signIn()
            #expect(Onboarding(second) == steps.second)
            #expect(second.userID == first.userID)
            // A forced sign-in is no first one, either.
            try await preset.place.endSessions(of: preset.tokens.access)
            await #expect(throws: SessionError.self) { try await preset.call() }
            #expect(Onboarding(try await preset.signIn()) == steps.second)

            if let profile = steps.profile {
                try await preset.saveProfile(profile.path)
                let third = try await preset.signIn()
                #expect(Onboarding(third) == profile.onboarding)
                if app == .melchat { #expect(third.username == "annie") }
            }
            // The profile of one user does not appear in the response to the next.
            #expect(Onboarding(try await preset.signIn(AppDeployment.people[1])) == steps.first)
        }
    }
}
