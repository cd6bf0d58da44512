// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Where a setting of the server comes from.
@Suite struct `Settings` {
    /// A file that is gone with the test.
    private final class File {
        let path = FileManager.default.temporaryDirectory.appending(path: "freshet-settings-\(UUID()).json").path

        init(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Reads settings where only a few exist.
    private func reader(
        _ commandLine: [String: String] = [:],
        environment: [String: String] = [:],
        file: File? = nil
    ) throws -> SettingsReader {
        var options: [String: String?] = ["host": nil, "port": nil, "access-ttl": nil, "production": nil]
        for (name, value) in commandLine { options[name] = .some(value) }
        return try SettingsReader(file: file?.path, commandLine: options, environment: environment)
    }

    @Test func `are named in a file as the options are, and have their own types`() throws {
        let file = try File(#"{"access-ttl": "7s", "port": 7000, "production": true, "host": "::1"}"#)
        let reader = try reader(file: file)
        #expect(try reader.duration("access-ttl") == .seconds(7))
        #expect(try reader.number("port", in: 0...65_535) == 7000)
        #expect(try reader.flag("production"))
        #expect(reader.text("host") == "::1")
    }

    @Test func `of the command line win over the environment, and these over the file`() throws {
        let file = try File(#"{"access-ttl": "3s", "port": 3, "host": "three"}"#)
        let environment = ["FRESHET_ACCESS_TTL": "2s", "FRESHET_PORT": "2"]
        let reader = try reader(["access-ttl": "1s"], environment: environment, file: file)
        #expect(try reader.duration("access-ttl") == .seconds(1))
        #expect(try reader.number("port", in: 0...9) == 2)
        #expect(reader.text("host") == "three")
        #expect(try !reader.flag("production"))
    }

    @Test func `come from the file that the environment names, unless the command line names one`() throws {
        let (named, other) = (try File(#"{"port": 1}"#), try File(#"{"port": 2}"#))
        let environment = ["FRESHET_CONFIG": other.path]
        #expect(try reader(environment: environment).text("port") == "2")
        #expect(try reader(environment: environment, file: named).text("port") == "1")
    }

    @Test(arguments: [
        (#"{"acces-ttl": "7s", "port": 1}"#, "there is no setting acces-ttl"),
        (#"{"access_ttl": "7s"}"#, "there is no setting access_ttl"),
        (#"{"config": "x", "b": 1}"#, "there is no setting b, config"),
        (#"{"port": [1]}"#, "port is neither text, a whole number nor a truth value"),
        (#"{"port": 1.5}"#, "port is neither text, a whole number nor a truth value"),
        (#"{"port": null}"#, "port is neither text, a whole number nor a truth value"),
        ("[]", "not a JSON file with settings"), ("{", "not a JSON file with settings"),
    ])
    func `that are none are refused by name`(text: String, sentence: String) throws {
        let file = try File(text)
        #expect(throws: ToolError.usage("\(file.path): \(sentence)")) { try reader(file: file) }
    }

    @Test func `need a file that is there`() {
        let environment = ["FRESHET_CONFIG": "/nowhere/at/all"]
        #expect(throws: ToolError.usage("/nowhere/at/all: cannot be read")) { try reader(environment: environment) }
    }

    @Test(arguments: ["7", "s", "-1s", "1.5h", "1 s", "100000001s"])
    func `of time need a whole number and a unit`(text: String) throws {
        let reader = try reader(["access-ttl": text])
        #expect(throws: ToolError.self) { try reader.duration("access-ttl") }
    }
}
