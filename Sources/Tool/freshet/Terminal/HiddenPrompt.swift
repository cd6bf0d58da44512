// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine
import FreshetWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Prompts for secrets on a terminal, which are not echoed.
///
/// `getpass` is not used: Glibc's takes Ctrl-C for a character of the password.
enum HiddenPrompt {
    /// Asks for lines at standard input, one after the other.
    ///
    /// Ctrl-C ends the process as it does at a visible prompt, with the terminal's mode restored.
    ///
    /// - Returns: The lines; `nil` without a terminal, or at the end of the input.
    static func lines(_ prompts: String...) -> [Secret]? {
        var previous = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &previous) == 0 else { return nil }
        var mode = previous
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode) == 0 else { return nil }
        // One mode for all lines: a line that is pasted with the one before it would be echoed.
        var answers: [Secret] = []
        var result = HiddenLine.State.complete
        for prompt in prompts where result == .complete {
            Output.prompt(prompt)
            let (state, text) = readLine()
            result = state
            answers.append(Secret(text))
            Output.prompt("\n")
        }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &previous)
        if result == .interrupted {
            signal(SIGINT, SIG_DFL)
            // Sent to the process: this thread may block signals.
            kill(getpid(), SIGINT)
            while true { pause() }
        }
        return result == .complete ? answers : nil
    }

    private static func readLine() -> (HiddenLine.State, String) {
        var line = HiddenLine()
        var state = HiddenLine.State.open
        while state == .open {
            var byte: UInt8 = 0
            state = readByte(&byte) ? line.receive(byte) : .closed
        }
        return (state, line.text)
    }

    private static func readByte(_ byte: inout UInt8) -> Bool {
        var count = -1
        repeat { count = read(STDIN_FILENO, &byte, 1) } while count == -1 && errno == EINTR
        return count == 1
    }
}

/// A line that is typed key by key, with the keys that a terminal has for editing.
struct HiddenLine {
    enum State: Equatable {
        case open
        case complete
        /// Ctrl-C was typed.
        case interrupted
        /// The input has ended.
        case closed
    }

    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func receive(_ byte: UInt8) -> State {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .complete
        // Ctrl-C.
        case 0x03: return .interrupted
        // Ctrl-D ends the input at the start of a line, and completes another line.
        case 0x04: return bytes.isEmpty ? .closed : .complete
        // Backspace removes a character of UTF-8, of any number of bytes.
        case 0x08, 0x7F:
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        // Ctrl-U.
        case 0x15: bytes = []
        default: bytes.append(byte)
        }
        return .open
    }
}
