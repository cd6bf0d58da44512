// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetServer
import FreshetWire
import Logging
import Testing

@testable import freshet

/// The lines and the conditions of a development server.
@Suite struct `A development server` {
    private let id = SessionID(UUID())

    @Test func `a development server prints the result of a refresh, with the reason for a refusal`() {
        let token = "Refresh of session \(id) with token 4"
        #expect(DevelopmentLine.text(refreshOf: id, 4, "bound") == "\(token): new tokens.")
        #expect(DevelopmentLine.text(refreshOf: id, 4, "repeated").hasPrefix("\(token): the same tokens again"))
        let idle = DevelopmentLine.text(refreshOf: id, 4, "idle_timeout")
        #expect(idle.hasPrefix("\(token) refused (idle_timeout): ") && idle.count > token.count + 30)
        #expect(DevelopmentLine.text(refreshOf: id, 4, "superseded").contains("refused (superseded)"))
        #expect(DevelopmentLine.text(refreshOf: id, 4, "elsewhere") == "\(token) refused (elsewhere).")
    }

    @Test func `a development server prints login codes, and log records from the given level`() {
        let code = ["email": "ann@example.com", "code": "123456", "attempt": "secret"]
        #expect(
            DevelopmentLine.text("login code", code, level: .notice, threshold: .warning)
                == "Login code for ann@example.com: 123456"
        )
        let nobody = ["email": "bob@example.com"]
        #expect(
            DevelopmentLine.text("no account, no mail", nobody, level: .notice, threshold: .warning)
                == "No code for bob@example.com: there is no account."
        )
        #expect(DevelopmentLine.text("login", [:], level: .info, threshold: .info) == nil)
        #expect(DevelopmentLine.text("metrics", [:], level: .notice, threshold: .warning) == nil)
        #expect(
            DevelopmentLine.text("disk", ["b": "2", "a": "1"], level: .error, threshold: .warning)
                == "error: disk a=1 b=2"
        )
    }

    @Test func `development mode is refused on a non-loopback address, behind a proxy and in production`() {
        func refusal(_ change: (inout ServerConfiguration) -> Void) -> String? {
            var configuration = ServerConfiguration(dataDirectory: URL(filePath: "/tmp"))
            change(&configuration)
            return DevelopmentMode.refusal(configuration)
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.host = "::1" } == nil)
        #expect(refusal { $0.host = "0.0.0.0" }?.contains("loopback") == true)
        #expect(refusal { $0.isProduction = true }?.contains("--production") == true)
        #expect(refusal { $0.operations.isBehindProxy = true }?.contains("--behind-proxy") == true)
    }
}
