// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The parameters of one statement in libpq's format: one buffer, and pointers into it.
struct PostgresParameters {
    private var bytes: [UInt8] = []
    /// The offset of each value; `nil` for null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    /// The format of each value: 0 for text, 1 for binary.
    private var formats: [Int32] = []

    var count: Int { starts.count }

    init(_ values: [(any SQLConvertible)?]) {
        for value in values {
            guard let value else {
                starts.append(nil)
                lengths.append(0)
                formats.append(1)
                continue
            }
            let start = bytes.count
            starts.append(start)
            switch value.sql {
            case .integer(let number):
                // Sent as decimal text, which fits a column of any width.
                bytes += String(number).utf8
                bytes.append(0)
                formats.append(0)
            case .text(let text):
                bytes += text.utf8
                formats.append(1)
            case .blob(let blob):
                bytes += blob
                formats.append(1)
            }
            lengths.append(Int32(bytes.count - start))
        }
        // A pointer into an empty buffer would be null, but an empty blob must not be.
        bytes.append(0)
    }

    func withPointers<Value>(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Value
    ) throws -> Value {
        try bytes.withUnsafeBufferPointer { buffer in
            try buffer.withMemoryRebound(to: CChar.self) { buffer in
                let pointers = starts.map { start in start.flatMap { buffer.baseAddress?.advanced(by: $0) } }
                return try body(pointers, lengths, formats)
            }
        }
    }
}
