// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import ServerFixtures
import Testing

@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(5)))
struct `Passwords that leaked` {
    private let place: DatabaseUnderTest
    private var folder: URL { place.folder }

    init() throws { place = try DatabaseEngine.sqlite.make() }

    private func list(_ passwords: [String], end: String = "\r\n") throws -> URL {
        let file = folder.appending(path: "\(UUID())")
        let lines = passwords.map { password in
            Insecure.SHA1.hash(data: Data(password.utf8)).map { String(format: "%02X", $0) }.joined()
        }
        let text = lines.sorted().enumerated().map { "\($1):\($0 * 97)" }.joined(separator: end)
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test(arguments: [1, 2, 3, 1000], ["\n", "\r\n"])
    func `breached passwords are found at any position of the list, and no others`(count: Int, end: String) throws {
        let all = (0..<count).map { "leaked password \($0)" }
        let list = try BreachedPasswords(list(all, end: end))
        for password in all { #expect(try list.contains(password)) }
        for number in 0..<200 { #expect(try !list.contains("other password \(number)")) }
    }

    @Test func `a list of breached passwords with a long line is refused`() throws {
        let all = (0..<100).map { "leaked password \($0)" }
        let file = try list(all)
        let long = String(repeating: " ", count: 80)
        let text = try String(contentsOf: file, encoding: .utf8).replacing("\r\n", with: "\(long)\n")
        try Data(text.utf8).write(to: file)
        #expect(throws: IdentityStartupError.unreadablePasswordList(file.path)) { try BreachedPasswords(file) }
    }

    @Test func `an unreadable list of breached passwords is refused`() throws {
        let nonsense = folder.appending(path: "nonsense")
        try Data("password\nletmein\n".utf8).write(to: nonsense)
        for file in [nonsense, folder.appending(path: "nowhere")] {
            #expect(throws: IdentityStartupError.unreadablePasswordList(file.path)) { _ = try BreachedPasswords(file) }
        }
    }
}
