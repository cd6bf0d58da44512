// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import IdentityFixtures
import Testing

@testable import FreshetServer

/// The fake backend of an app and our server with the app's contract answer alike, so that what works with one works with the
/// other.
@Suite(.timeLimit(.minutes(5)))
struct `Fake backends and served contracts` {
    /// Where they differ, with the reason that FiveApps.md gives.
    private static let differences: [(step: String, apps: Set<AppBackend.App>, reason: String)] = [
        (
            "an unknown path", Set(AppBackend.App.allCases),
            "one server may serve several contracts at its root, so a path that none of them names belongs to no app"
        )
    ]

    @Test(arguments: AppBackend.App.allCases)
    func `a fake backend and the server respond in the same shape, except for documented differences`(
        app: AppBackend.App
    ) async throws {
        let apple = try await AppleUnderTest()
        var fake = AppScenario(.fake(app, apple))
        try await fake.play()
        let expected = fake.shapes
        try await AppServer.serving(app, apple) { server, caller async throws in
            if [.authservice, .creatist, .outbox].contains(app) { _ = try await caller.signUp() }
            var story = AppScenario(server)
            try await story.play()
            #expect(story.shapes.map(\.step) == expected.map(\.step))
            for (served, fake) in zip(story.shapes, expected) {
                let difference = Self.differences.first { $0.step == fake.step && $0.apps.contains(app) }
                if difference == nil {
                    #expect(served.shape == fake.shape, "\(app.rawValue), \(fake.step)")
                } else {
                    #expect(
                        served.shape != fake.shape,
                        "\(app.rawValue), \(fake.step): there is no difference any more"
                    )
                }
            }
        }
    }

    @Test func `every difference between fake backends and the server is documented with its reason`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/Client/FreshetKit/FreshetKit.docc/FiveApps.md")
        let text = try String(contentsOf: file, encoding: .utf8).replacing("\n", with: " ")
        for difference in Self.differences {
            #expect(text.contains(difference.reason), "\(difference.step)")
        }
    }
}
