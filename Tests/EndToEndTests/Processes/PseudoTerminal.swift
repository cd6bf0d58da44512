// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem

/// A terminal of Linux for a program under test: what it prints, and the keys that a user types.
final class PseudoTerminal: Sendable {
    /// The lines that were printed, without the carriage return.
    let lines: AsyncStream<String>
    private let user: Int32
    private let program: FileHandle

    /// Opens a terminal.
    ///
    /// - Throws: The system's error if there is none.
    init() throws {
        // The calls behind posix_openpt, unlockpt and ptsname, which Glibc's module does not have.
        user = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (number, unlocked) = (Int32(0), Int32(0))
        guard user >= 0, ioctl(user, 0x4004_5431, &unlocked) == 0, ioctl(user, 0x8004_5430, &number) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        program = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let (lines, printed) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread { [user] in
            var rest: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = read(user, &bytes, bytes.count), count > 0 {
                rest += bytes[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[..<end].filter { $0 != UInt8(ascii: "\r") }
                    printed.yield(String(decoding: line, as: UTF8.self))
                    rest = Array(rest[(end + 1)...])
                }
            }
            printed.finish()
        }
    }

    deinit { close(user) }

    /// Types keys.
    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(user, bytes, bytes.count)
    }

    /// Whether the terminal echoes keys and passes lines on, as a shell leaves it.
    var isInLineMode: Bool {
        var mode = termios()
        let flags = tcflag_t(ICANON | ECHO)
        return tcgetattr(user, &mode) == 0 && mode.c_lflag & flags == flags
    }

    /// Starts the tool on this terminal, once; the lines finish when it exits.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand and its options.
    ///   - environment: Variables that are added to those of this process.
    /// - Returns: The process, and its exit status, as shells report it.
    /// - Throws: The system's error if it cannot be started.
    func run(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> (process: Subprocess, status: Task<Int32, Never>) {
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        let process = try Subprocess(
            [TestEnvironment.program.path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
                .merging(environment) { $1 },
            input: program,
            output: program,
            log: program
        ) { end.yield($0.status) }
        try program.close()
        return (process, Task { await ended.first { _ in true } ?? -1 })
    }
}
