// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import NIOConcurrencyHelpers
import Testing

/// Programs that the server runs.
@Suite(.timeLimit(.minutes(5)))
struct `Child processes` {
    private let soon = Duration.seconds(60)

    /// The program's output and exit.
    private func run(_ arguments: [String], environment: [String: String] = [:], input: String = "") throws
        -> (text: String, ending: Subprocess.Ending?)
    {
        let (input, output) = (try pipe(with: input), try Subprocess.pipe())
        let program = try Subprocess(arguments, environment: environment, input: input, output: output.writing)
        try output.writing.close()
        let text = String(decoding: try output.reading.readToEnd() ?? Data(), as: UTF8.self)
        return (text, program.wait(until: .now + soon))
    }

    private func pipe(with text: String) throws -> FileHandle {
        let (reading, writing) = try Subprocess.pipe()
        try writing.write(contentsOf: Data(text.utf8))
        try writing.close()
        return reading
    }

    @Test func `a child process gets its arguments, environment and input, and its output and exit are reported`()
        throws
    {
        #expect(try run(["/bin/cat"], input: "a\nb") == ("a\nb", .exited(0)))
        #expect(
            try run(
                ["/bin/sh", "-c", #"printf "%s-%s-%s" "$0" "$1" "$FOO"; exit 7"#, "a  b", "c"],
                environment: ["FOO": "d"]
            ) == (
                "a  b-c-d", .exited(7)
            )
        )
        #expect(try run(["/bin/sh", "-c", "kill -TERM $$"]).ending == .signalled(SIGTERM))
        #expect(Subprocess.Ending.signalled(9).status == 137 && Subprocess.Ending.exited(3).status == 3)
    }

    @Test func `a write to an exited child process throws an error and does not end the writing process`() async throws
    {
        await #expect(processExitsWith: .success) {
            // The default, which other tests of this process replace.
            signal(SIGPIPE, SIG_DFL)
            let (reading, writing) = try Subprocess.pipe()
            let program = try Subprocess(["/bin/true"], environment: [:], input: reading)
            try reading.close()
            #expect(program.wait(until: .now + .seconds(60)) == .exited(0))
            for _ in 1...2 {
                #expect(throws: CocoaError.self) { try Subprocess.write(Data("unread".utf8), to: writing) }
            }
        }
    }

    @Test func `a child process inherits none of the parent's open files, regardless of their number`() throws {
        // Foundation's list of them is longer than a page of them from about 1,300 on.
        let many = try (0..<3000).map { _ in
            let file = open("/dev/null", O_RDONLY)
            try #require(file >= 0)
            return file
        }
        defer { for file in many { close(file) } }
        for _ in 1...20 {
            let (text, ending) = try run(["/bin/ls", "/proc/self/fd"])
            #expect(text.split(separator: "\n") == ["0", "1", "2", "3"] && ending == .exited(0))
        }
    }

    @Test func `a child process inherits no file that another thread opens during its start`() throws {
        let goesOn = NIOLockedValueBox(true)
        let opened = DispatchGroup()
        opened.enter()
        Thread.detachNewThread {
            var files: [Int32] = []
            while goesOn.withLockedValue({ $0 }) {
                files = (0..<64).map { _ in open("/dev/null", O_RDONLY) }
                for file in files { close(file) }
            }
            opened.leave()
        }
        defer {
            goesOn.withLockedValue { $0 = false }
            opened.wait()
        }
        for _ in 1...50 {
            let (text, ending) = try run(["/bin/ls", "/proc/self/fd"])
            #expect(text.split(separator: "\n") == ["0", "1", "2", "3"] && ending == .exited(0))
        }
    }

    @Test func `a missing program, a folder and an empty command are refused`() {
        #expect(throws: POSIXError.self) { try Subprocess(["/no/such/program"], environment: [:]) }
        #expect(throws: POSIXError.self) { try Subprocess(["/etc"], environment: [:]) }
        #expect(throws: POSIXError.self) { try Subprocess([], environment: [:]) }
    }

    @Test func `a program outlives a wait that times out, and ends when it is killed`() async throws {
        let (endings, ended) = AsyncStream.makeStream(of: Subprocess.Ending.self)
        let program = try Subprocess(["/bin/sleep", "100000"], environment: [:]) { ended.yield($0) }
        #expect(program.wait(until: .now) == nil)
        program.signal(SIGTERM)
        #expect(await endings.first { _ in true } == .signalled(SIGTERM))
        #expect(program.wait(until: .now) == .signalled(SIGTERM))
        // Its number is still its own.
        program.signal(SIGTERM)
        program.kill()
    }

    @Test func `a kill of an exited child process also ends its remaining descendants`() throws {
        let (reading, writing) = try Subprocess.pipe()
        let program = try Subprocess(["/bin/sh", "-c", "sleep 100000 & exit 0"], environment: [:], output: writing)
        try writing.close()
        #expect(program.wait(until: .now + soon) == .exited(0))
        // The remaining process holds the pipe.
        program.kill()
        #expect(try reading.readToEnd() ?? Data() == Data())
    }

    @Test func `programs run while callers block every thread of the concurrency runtime`() async throws {
        try await withThrowingTaskGroup(of: Subprocess.Ending?.self) { group in
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    let program = try Subprocess(["/bin/sleep", "0.1"], environment: [:])
                    return program.wait(until: .now + soon)
                }
            }
            for try await ending in group { #expect(ending == .exited(0)) }
        }
    }
}
