// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import Notes
import XCTest

/// The same kit in an app whose tests are written with XCTest.
final class NotesXCTests: XCTestCase {
    @MainActor func testSignInIsShownWhenTheServerHasEndedTheSession() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.backend.endSessions()
        await model.load()
        XCTAssertEqual(model.screen, .signIn("Signed out. The server revoked the session."))
    }

    @MainActor func testAnExpiredTokenCostsOneRefresh() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.clock.advance(by: .seconds(3600))
        await model.load()
        guard case .notes = model.screen else { return XCTFail("\(model.screen)") }
        XCTAssertEqual(device.backend.counts.refreshes, 1)
    }

    @MainActor func testALostAnswerIsNotNoticed() async throws {
        let device = try Device()
        let model = NotesModel(client: device.client(try await device.signedIn()))
        device.clock.advance(by: .seconds(3600))
        device.backend.fail(.status(503))
        await device.clock.skipPauses { await model.load() }
        guard case .notes = model.screen else { return XCTFail("\(model.screen)") }
        XCTAssertEqual(device.backend.counts.refreshes, 2)
    }
}
