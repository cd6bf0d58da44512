// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetContract
import FreshetKit
import FreshetNIO
import NIOConcurrencyHelpers
import Testing

@testable import freshet

/// Nothing of the tool that holds a secret prints it.
@Suite struct `Secrets in the tool` {
    private static let secret = "S3CR3T"

    private static func holders() throws -> [Any] {
        [
            Secret(secret), try DecodeCommand.parse([secret]),
            try LoginCommand.parse(["--code", secret, "--email", "a@b.example"]),
            TokenCommand.View(accessToken: secret, expiresAt: .distantFuture),
            NamedValue(name: "key", value: secret), try TokenCommand.parse(["--set", "key=\(secret)"]),
            try LoginCommand.parse(["--sign-in", "other", "--field", "key=\(secret)"]),
            Profile.Settings(server: URL(filePath: "/"), values: ["key": secret]), plan,
            ConformanceRun(probe: try probe(), plan: plan) { _ in },
        ]
    }

    private static let plan = ConformancePlan(
        contract: Contract.freshet.document,
        baseURL: URL(filePath: "/"),
        signIn: .fields(.password, ["password": secret])
    )

    private static func probe() throws -> ContractProbe {
        try ContractProbe(
            contract: .freshet,
            baseURL: try #require(URL(string: "http://127.0.0.1")),
            values: [:],
            transport: NIOTransport(),
            timeout: .seconds(1)
        )
    }

    @Test(arguments: 0..<10) func `descriptions and dumps of a value that holds a secret do not contain the secret`(
        index: Int
    ) throws {
        let holder = try Self.holders()[index]
        var dumped = ""
        dump(holder, to: &dumped)
        for text in ["\(holder)", String(reflecting: holder), dumped, "\([holder])"] {
            #expect(!text.contains(Self.secret), "\(type(of: holder))")
        }
    }

    @Test func `a failed expectation shows a mask instead of a secret`() throws {
        let command = try DecodeCommand.parse([Self.secret])
        let view = TokenCommand.View(accessToken: Self.secret, expiresAt: .distantFuture)
        let seen = NIOLockedValueBox("")
        withKnownIssue {
            #expect([Secret(Self.secret)].isEmpty)
            #expect([command].isEmpty)
            #expect([view].isEmpty)
        } matching: { issue in
            var dumped = ""
            dump(issue, to: &dumped)
            let text = "\(issue) \(String(reflecting: issue)) \(dumped)"
            seen.withLockedValue { $0 += text }
            return true
        }
        let text = seen.withLockedValue { $0 }
        for part in ["•••", "DecodeCommand", "TokenCommand.View("] { #expect(text.contains(part)) }
        #expect(!text.contains(Self.secret))
    }

    @Test func `a parsed token and an encoded token view contain the secret unmasked`() throws {
        #expect(try DecodeCommand.parse([Self.secret]).token?.text == Self.secret)
        let view = TokenCommand.View(accessToken: Self.secret, expiresAt: .distantFuture)
        #expect(String(decoding: try JSONEncoder().encode(view), as: UTF8.self).contains(Self.secret))
    }
}
