// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetServer
import Testing

@testable import FreshetContractServer
@testable import freshet

@Suite struct `The option --contract` {
    private static let contract = """
        {
          "contract": 1, "name": "quay", "rotation": "never", "reply": { "access": "/access" },
          "endpoints": { "refresh": { "path": "/refresh", "json": { "token": "$refresh_token" } } },
          "server": { "rotation": "static" }
        }
        """

    private let option = ContractOption(names: ["quay"]) { $0 == "quay" ? Self.contract : nil }

    @Test(
        arguments: [
            ("quay", ""), ("quay=", ""), ("quay=/", ""), ("quay=/app", "/app"), ("quay=/old/app/", "/old/app"),
        ]
    )
    func `the contract option accepts a preset's name and an optional path prefix`(text: String, prefix: String) throws
    {
        let contract = try option.contract(text)
        #expect(contract.name == "quay")
        #expect(contract.prefix == prefix)
    }

    @Test func `the contract option accepts a file whose name contains an equals sign`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "a=b-\(UUID()).json")
        try Data(Self.contract.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try option.contract("\(file.path)=/app").prefix == "/app")
        #expect(try option.contract("\(file.path)=").prefix == "")
    }

    @Test func `an error of the contract option lists the known names or every mistake of the contract`() throws {
        #expect(try message("other=/x").contains("'other' is neither a preset's name nor a readable file"))
        #expect(try message("other").contains("the names are quay"))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try Data(#"{"contract":1,"name":"X Y","rotation":"often"}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = try message(file.path)
        #expect(text.contains("$.name"))
        #expect(text.contains("$.rotation"))
    }

    private func message(_ text: String) throws -> String {
        do { _ = try option.contract(text) } catch { return "\(error)" }
        Issue.record("it is taken")
        return ""
    }
}
