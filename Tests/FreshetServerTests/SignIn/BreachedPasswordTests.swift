// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Passwords that leaked` {
    private let server = ServerUnderTest()

    private func list(_ passwords: [String], end: String = "\r\n") throws -> URL {
        let folder = server.folder.appending(path: "lists")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = folder.appending(path: "\(UUID())")
        let lines = passwords.map { password in
            Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", $0) }.joined()
        }
        let text = lines.sorted().enumerated().map { "\($1):\($0 * 97)" }.joined(separator: end)
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test func `a leaked password is refused at sign-up and at a password change`() async throws {
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var configuration = server.configuration
        configuration.signIn.breachedPasswords = try list(["tenacious otter 7", "another"])
        try await server.run(configuration) { caller in
            let leaked = PasswordCredentials(email: "ann@example.com", password: "tenacious otter 7")
            #expect(try await caller.post(NativePath.signup, leaked).error == "400 invalid_request")
            let grant = try await caller.signUp()
            let update = PasswordUpdate(newPassword: "tenacious otter 7", currentPassword: "correct horse")
            let answer = try await caller.post(NativePath.password, update, bearer: grant.accessToken)
            #expect(answer.error == "400 invalid_request")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("leaked"))
        }
    }
}
