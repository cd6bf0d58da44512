// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Testing

@testable import FreshetIdentity

@Suite(.timeLimit(.minutes(5)))
struct `A server whose keys a program prints` {
    @Test func `a key program has limited time and output, and its failure is an error`() throws {
        for (command, sentence) in [
            (["/bin/sleep", "60"], "did not end in time"), (["/usr/bin/yes"], "wrote more than"),
            (["/bin/sh", "-c", "exec >&-; exec sleep 60"], "did not end in time"),
            (["/bin/false"], "ended with 1"), (["/nowhere"], "cannot be run"),
        ] {
            do {
                let timeout = sentence.contains("in time") ? Duration.milliseconds(300) : .seconds(60)
                _ = try KeyCommand.output(command, timeout: timeout)
                Issue.record("\(command)")
            } catch {
                #expect(error.description.contains(sentence), "\(command): \(error)")
            }
        }
        #expect(try KeyCommand.output(["/bin/echo", "a  b; c"]) == "a  b; c\n")
    }

    @Test func `a failed key program is terminated together with its child processes`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-test-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let end = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(end) }
        // The child holds the pipe as long as it lives.
        let command = ["/bin/sh", "-c", "exec 3>'\(pipe)'; sleep 100000 & exec yes"]
        #expect(throws: KeyDocument.Fault.self) { try KeyCommand.output(command) }
        var wait = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        #expect(poll(&wait, 1, 60_000) == 1 && Int32(wait.revents) & Int32(POLLHUP) != 0)
    }

    @Test func `the key program receives no Freshet variables of the server's environment`() throws {
        let told = try KeyCommand.output(["/usr/bin/env"], environment: ["FRESHET_PROBE": "secret", "PATH": "/bin"])
        #expect(told == "PATH=/bin\n")
    }
}
