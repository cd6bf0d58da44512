// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The keys that are typed on a terminal, one by one and without echo, until the mode is restored.
///
/// Ctrl-C still sends SIGINT.
final class KeyInput: Sendable {
    /// The keys as they are typed; finishes when the terminal is closed.
    let keys: AsyncStream<Character>
    /// The terminal's mode before this object changed it; `nil` once it is restored.
    private let previousMode: NIOLockedValueBox<termios?>

    /// Changes the mode of the terminal at standard input.
    ///
    /// Returns `nil` without a terminal, and for a job in the background, which the system would stop.
    init?() {
        var mode = termios()
        guard isatty(STDIN_FILENO) == 1, Self.isInForeground, tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
        previousMode = NIOLockedValueBox(mode)
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0 else { return nil }
        let (keys, typed) = AsyncStream.makeStream(of: Character.self, bufferingPolicy: .bufferingOldest(64))
        self.keys = keys
        // A separate thread: the read blocks, and the concurrency runtime has only one thread per core.
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 1 {
                    typed.yield(Character(UnicodeScalar(byte)))
                } else if count == 0 || errno != EINTR {
                    return typed.finish()
                }
            }
        }
    }

    /// Restores the terminal's mode.
    func restore() {
        guard
            var mode = previousMode.withLockedValue({ mode in
                defer { mode = nil }
                return mode
            })
        else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    /// Whether this process may read the terminal; a terminal that does not control the process has no foreground.
    private static var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group == -1 || group == getpgrp()
    }
}
