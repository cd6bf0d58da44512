// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import Testing

@testable import FreshetKit

@Suite struct `Presets` {
    @Test(arguments: Contract.presets) func `every preset has the name of its file`(name: String) throws {
        #expect(try Contract.named(name).name == name)
    }

    @Test(arguments: Contract.presets) func `every preset is valid and equals the contract that its text describes`(
        name: String
    ) throws {
        let preset = try Contract.named(name)
        #expect(try Contract(json: Data(preset.text.utf8)) == preset)
    }

    @Test func `a static member of Contract returns the preset of the same name`() throws {
        #expect(try Contract.freshet == .named("freshet"))
        #expect(try Contract.cognitoRotating == .named("cognito-rotating"))
        #expect(try Contract.djangoOAuthToolkit == .named("django-oauth-toolkit"))
    }

    @Test func `an invalid preset becomes a contract without endpoints`() {
        let contract = Contract(preset: "invalid", "{")
        #expect(contract.name == "invalid" && contract.document.endpoints.isEmpty)
    }

    @Test func `an unknown preset is reported with the names of the existing ones`() throws {
        let error = try #require(throws: ContractError.self) { try Contract.named("nobody") }
        #expect(error.description.contains("'nobody'") && error.description.contains("bitbasel"))
    }

    @Test(arguments: Contract.presets)
    func `a preset that is encoded as a part of another document decodes to an equal contract`(name: String) throws {
        struct Settings: Codable { var backend: Contract }
        let settings = Settings(backend: try Contract.named(name))
        let copy = try JSONDecoder().decode(Settings.self, from: JSONEncoder().encode(settings))
        #expect(copy.backend == settings.backend)
    }
}
