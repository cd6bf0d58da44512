// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
package import Logging

#if canImport(Glibc)
    import Glibc
    private let writeBytes = Glibc.write(_:_:_:)
#else
    import Darwin
    private let writeBytes = Darwin.write(_:_:_:)
#endif

/// Writes each record as one JSON object on one line, which also keeps hostile text from forging records.
///
/// Metadata are text, but for integers that were logged as such.
///
/// A line is one `write`, so lines of several threads do not mix and a killed process loses none that it logged.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider? = .request
    private let label: String
    /// Held, so that no line is ever written to a descriptor that means something else by now.
    private let file: FileHandle

    /// Writes to `file`.
    package init(label: String, file: FileHandle = .standardError) {
        self.label = label
        self.file = file
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = #"{"time":"\#(Self.time())","level":"\#(event.level)","logger":"#
        Self.append(label, to: &line)
        line += #","message":"#
        Self.append(event.message.description, to: &line)
        for (name, value) in all(event).sorted(by: { $0.key < $1.key }) {
            line += ","
            Self.append(name, to: &line)
            line += ":"
            if case .stringConvertible(let number as any FixedWidthInteger) = value {
                line += "\(number)"
            } else {
                Self.append(value.description, to: &line)
            }
        }
        if let error = event.error {
            line += #","error":"#
            Self.append("\(error)", to: &line)
        }
        line += "}\n"
        line.withUTF8 { _ = writeBytes(file.fileDescriptor, $0.baseAddress, $0.count) }
    }

    /// What is said of the event: its own metadata first, then its request's, then the handler's.
    private func all(_ event: LogEvent) -> Logger.Metadata {
        var all = event.metadata ?? [:]
        if let provided = metadataProvider?.get(), !provided.isEmpty { all.merge(provided) { own, _ in own } }
        if !metadata.isEmpty { all.merge(metadata) { own, _ in own } }
        return all
    }

    /// UTC with milliseconds (RFC 3339).
    private static func time() -> String {
        let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let numbers =
            [
                (parts.tm_year + 1900, 4, "-"), (parts.tm_mon + 1, 2, "-"), (parts.tm_mday, 2, "T"),
                (parts.tm_hour, 2, ":"), (parts.tm_min, 2, ":"), (parts.tm_sec, 2, "."),
                (Int32(milliseconds % 1000), 3, "Z"),
            ] as [(Int32, Int, Unicode.Scalar)]
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            for (number, width, mark) in numbers {
                var rest = number
                for place in (end..<end + width).reversed() {
                    text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                text[end + width] = UInt8(ascii: mark)
                end += width + 1
            }
            return end
        }
    }

    private static func append(_ text: String, to line: inout String) {
        line += JSONValue.string(text).jsonText
    }
}
