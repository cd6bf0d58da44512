// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMail
@testable import FreshetServer

/// Conditions that keep a server from starting, beside its folders and keys.
@Suite struct `Startup errors` {
    let server = ServerUnderTest()

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a server with a lifetime that is not positive does not start`(length: Duration) {
        for lifetime in [\Lifetimes.access, \.idle, \.absolute, \.code] {
            var configuration = server.configuration
            configuration.lifetimes[keyPath: lifetime] = length
            #expect(throws: ServerStartupError.lifetimeNotPositive) {
                try TokenServer(configuration, log: server.log.logger)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: server.folder.path))
    }

    @Test func `a server behind a proxy does not start without a trusted proxy`() throws {
        var configuration = server.configuration
        configuration.operations.isBehindProxy = true
        #expect(throws: ServerStartupError.noTrustedProxy) { try TokenServer(configuration, log: server.log.logger) }
        #expect(!FileManager.default.fileExists(atPath: server.folder.path))
        configuration.signIn.trustedProxies = [try #require(AddressRange("10.254.1.2"))]
        try configuration.validate()
    }

    @Test(arguments: [
        "http://localhost", "https://localhost", "https://LOCALHOST.:8443", "https://auth.localhost",
        "https://127.0.0.1",
        "https://[::1]:8443", "https://0.0.0.0", "http://auth.example.com", "auth.example.com", "",
    ])
    func `a production server does not start with an issuer that clients cannot reach over HTTPS`(issuer: String) throws
    {
        var configuration = server.configuration
        configuration.isProduction = true
        configuration.mail = .none
        configuration.issuer = issuer
        #expect(throws: ServerStartupError.localIssuerInProduction(issuer)) { try configuration.validate() }
        configuration.issuer = "https://auth.example.com/tenant"
        try configuration.validate()
    }

    @Test(arguments: [
        "", "auth.example.com", "ftp://auth.example.com", "https://", "https://a.example/#b", "my issuer",
    ])
    func `a server does not start with an invalid issuer URL`(issuer: String) throws {
        var configuration = server.configuration
        configuration.issuer = issuer
        #expect(throws: ServerStartupError.notAnIssuer(issuer)) { try configuration.validate() }
        configuration.issuer = "http://localhost:8080/tenant"
        try configuration.validate()
    }

    @Test func `a server does not start with codes that are valid for more than ten minutes`() throws {
        var configuration = server.configuration
        configuration.lifetimes.code = .seconds(600)
        #expect(throws: Never.self) { try configuration.validate() }
        configuration.lifetimes.code = .milliseconds(600_001)
        #expect(throws: ServerStartupError.codeLifetimeTooLong) {
            try TokenServer(configuration, log: server.log.logger)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `a server does not start in a folder of another user`() throws {
        try PrivateFiles.prepare(server.folder)
        #expect(chown(server.folder.path, 65_534, 65_534) == 0)
        #expect(throws: PrivateFiles.UnsafeFolder(path: server.folder.path)) {
            try TokenServer(server.configuration, log: server.log.logger)
        }
    }
}
