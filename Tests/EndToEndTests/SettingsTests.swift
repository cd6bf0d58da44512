// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetEngine
import FreshetServer
import Testing

@testable import FreshetContractServer
@testable import freshet

/// Where a setting of the server comes from.
@Suite struct `Settings` {
    /// A file that is deleted with the test.
    private final class File {
        let path = FileManager.default.temporaryDirectory.appending(path: "freshet-settings-\(UUID()).json").path

        init(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func reader(
        _ commandLine: [String: String] = [:],
        environment: [String: String] = [:],
        file: File? = nil
    ) throws -> SettingsReader {
        try SettingsReader(file: file?.path, commandLine: commandLine, environment: environment)
    }

    private func values(
        _ commandLine: [String: String] = [:],
        environment: [String: String] = [:],
        file: File? = nil
    ) throws -> ServeSettings {
        var values = ServeSettings()
        try reader(commandLine, environment: environment, file: file).apply(to: &values)
        return values
    }

    @Test func `a settings file uses the names of the command-line options and values of JSON types`() throws {
        let file = try File(
            #"{"access-ttl": "7s", "port": 7000, "production": true, "host": "::1", "allowed-origin": ["a", "b"]}"#
        )
        let server = try values(file: file).server
        #expect(server.lifetimes.access == .seconds(7))
        #expect(server.port == 7000)
        #expect(server.isProduction)
        #expect(server.host == "::1")
        #expect(server.allowedOrigins == ["a", "b"])
    }

    @Test func `command-line settings override the environment, and the environment overrides the file`() throws {
        let file = try File(#"{"access-ttl": "3s", "port": 3, "host": "three"}"#)
        let environment = ["FRESHET_ACCESS_TTL": "2s", "FRESHET_PORT": "2"]
        let server = try values(["access-ttl": "1s"], environment: environment, file: file).server
        #expect(server.lifetimes.access == .seconds(1))
        #expect(server.port == 2)
        #expect(server.host == "three")
        #expect(!server.isProduction)
    }

    @Test func `settings come from the file that FRESHET_CONFIG names, unless the command line names another file`()
        throws
    {
        let (named, other) = (try File(#"{"port": 1}"#), try File(#"{"port": 2}"#))
        let environment = ["FRESHET_CONFIG": other.path]
        #expect(try values(environment: environment).server.port == 2)
        #expect(try values(environment: environment, file: named).server.port == 1)
    }

    @Test(arguments: [
        (#"{"acces-ttl": "7s", "port": 1}"#, "there is no setting acces-ttl; did you mean access-ttl?"),
        (#"{"access_ttl": "7s"}"#, "there is no setting access_ttl; did you mean access-ttl?"),
        (#"{"config": "x", "b": 1}"#, "there is no setting b, config"),
        (#"{"keys": "x"}"#, "there is no setting keys"),
        (#"{"port": [1]}"#, "port is neither text, a whole number, a Boolean nor a list of texts"),
        (#"{"port": 1.5}"#, "port is neither text, a whole number, a Boolean nor a list of texts"),
        (#"{"port": null}"#, "port is neither text, a whole number, a Boolean nor a list of texts"),
        ("[]", "not a JSON file with settings"), ("{", "line 1, column 2: a member of an object begins with its name"),
        ("{\n  \"port\": 1,\n  \"port\": 2\n}", "line 3, column 3: the name 'port' is a duplicate"),
        ("{\"port\": 1,}", "line 1, column 12: a member of an object begins with its name"),
    ])
    func `a settings file with an unknown or malformed setting is refused with the name or position`(
        text: String,
        sentence: String
    ) throws {
        let file = try File(text)
        #expect(throws: ToolError.usage("\(file.path): \(sentence)")) { try reader(file: file) }
    }

    @Test func `a missing settings file is a usage error that names the file`() {
        let environment = ["FRESHET_CONFIG": "/nowhere/at/all"]
        #expect(throws: ToolError.usage("/nowhere/at/all: cannot be read (No such file or directory)")) {
            try reader(environment: environment)
        }
    }

    @Test(arguments: ["7", "s", "-1s", "1.5h", "1 s", "100000001s"])
    func `a duration setting requires a whole number with a unit`(text: String) throws {
        #expect(throws: ToolError.self) { try values(["access-ttl": text]) }
    }

    @Test func `a setting with a wrong value is refused with its name and source`() throws {
        let message = "'70000' is not a whole number from 0 to 65535"
        let file = try File(#"{"port": 70000}"#)
        #expect(throws: ToolError.usage("--port: \(message)")) { try values(["port": "70000"]) }
        #expect(throws: ToolError.usage("FRESHET_PORT: \(message)")) {
            try values(environment: ["FRESHET_PORT": "70000"])
        }
        #expect(throws: ToolError.usage("\(file.path): port: \(message)")) { try values(file: file) }
    }

    @Test func `a wrong value of a secret setting is masked in the error message`() throws {
        let address = "mysql://freshet:S3CR3T@db/freshet"
        do {
            _ = try values(environment: ["FRESHET_DATABASE": address])
            Issue.record("the address was accepted")
        } catch let error as ToolError {
            #expect("\(error)" == "FRESHET_DATABASE: '•••' is not an address such as postgresql://USER@HOST/NAME")
        }
    }

    @Test func `the contract setting accepts its former name dialect in every source`() throws {
        let file = try File(#"{"dialect": ["bitbasel=/b", "melchat"]}"#)
        for values in [
            try values(["dialect": "bitbasel=/b,melchat"]),
            try values(environment: ["FRESHET_DIALECT": "bitbasel=/b,melchat"]), try values(file: file),
            try values(["contract": "bitbasel=/b,melchat"], environment: ["FRESHET_DIALECT": "creatist"]),
            try values(["dialect": "bitbasel=/b,melchat"], environment: ["FRESHET_CONTRACT": "creatist"]),
        ] {
            #expect(values.server.contracts.map(\.name) == ["bitbasel", "melchat"])
            #expect(values.server.contracts.map(\.prefix) == ["/b", ""])
        }
        #expect(try ServeCommand.parse(["--dialect", "bitbasel", "--dialect", "x"]).given == ["dialect": "bitbasel,x"])
        let sentence =
            "FRESHET_CONTRACT and FRESHET_DIALECT are two names of the same setting: give only FRESHET_CONTRACT"
        #expect(throws: ToolError.usage(sentence)) {
            try values(environment: ["FRESHET_DIALECT": "melchat", "FRESHET_CONTRACT": "bitbasel"])
        }
        #expect(throws: ToolError.self) { try values(environment: ["FRESHET_DIALECT": "nowhere"]) }
    }
}
