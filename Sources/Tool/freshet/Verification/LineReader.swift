// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// A reader of lines from standard input, with a limit on their length.
struct LineReader {
    enum Line: Equatable {
        case text(String)
        /// A line beyond the limit, of which the rest is skipped.
        case tooLong
    }

    private let limit: Int
    private let read: @Sendable () async -> [UInt8]
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The maximum length of a line, in bytes.
    ///   - read: Returns the next bytes; empty at the end.
    init(limit: Int, read: @escaping @Sendable () async -> [UInt8] = LineReader.standardInput) {
        self.limit = limit
        self.read = read
    }

    /// Returns the next line, which may be empty; `nil` at the end.
    mutating func next() async -> Line? {
        let line = await rawLine()
        guard case .text(let text)? = line, text.hasSuffix("\r") else { return line }
        return .text(String(text.dropLast()))
    }

    private mutating func rawLine() async -> Line? {
        var isTooLong = false
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[start..<end]
                start = end + 1
                return isTooLong || line.count > limit ? .tooLong : .text(String(decoding: line, as: UTF8.self))
            }
            if buffer.count - start > limit {
                isTooLong = true
                start = buffer.count
            }
            buffer.removeFirst(start)
            start = 0
            if isAtEnd {
                defer { buffer = [] }
                if isTooLong { return .tooLong }
                return buffer.isEmpty ? nil : .text(String(decoding: buffer, as: UTF8.self))
            }
            let more = await read()
            if more.isEmpty { isAtEnd = true }
            buffer += more
        }
    }

    /// Waits for bytes on a separate thread, so that no thread of the concurrency pool blocks.
    @Sendable private static func standardInput() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Array(FileHandle.standardInput.availableData))
            }
        }
    }
}
