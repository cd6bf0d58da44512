// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
import FreshetWire
package import Logging

#if canImport(Glibc)
    import Glibc
    private let writeBytes = Glibc.write(_:_:_:)
#else
    import Darwin
    private let writeBytes = Darwin.write(_:_:_:)
#endif

/// Writes each record as one line of JSON, so that untrusted text cannot forge records.
///
/// Metadata values are strings, except for integers that were logged as such.
///
/// Each line is written with one `write`, so lines of several threads do not mix, and a killed process loses no line
/// that it has logged.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    /// The file is retained, so that no line is written to a descriptor that was closed and reused.
    private let file: FileHandle

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: The name of the logger.
    ///   - file: The file that records are written to.
    ///   - metadataProvider: Adds the metadata of the current request, such as its id.
    package init(
        label: String,
        file: FileHandle = .standardError,
        metadataProvider: Logger.MetadataProvider? = nil
    ) {
        self.label = label
        self.file = file
        self.metadataProvider = metadataProvider
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = UTF8Buffer(capacity: 512)
        line.add(#"{"time":""#)
        Self.clock.addNow(to: &line)
        line.add(#"","level":""#)
        line.add(event.level.rawValue)
        line.add(#"","logger":"#)
        line.add(json: label)
        line.add(#","message":"#)
        line.add(json: event.message.description)
        for (name, value) in all(event) {
            line.add(",")
            line.add(json: name)
            line.add(":")
            switch value {
            case .string(let text): line.add(json: text)
            case .stringConvertible(let number as any FixedWidthInteger): line.add("\(number)")
            default: line.add(json: value.description)
            }
        }
        if let error = event.error {
            line.add(#","error":"#)
            line.add(json: "\(error)")
        }
        line.add("}\n")
        line.bytes.withUnsafeBytes { _ = writeBytes(file.fileDescriptor, $0.baseAddress, $0.count) }
    }

    private static let clock = LogTimestampFormatter()

    /// Returns the metadata of an event, sorted by name; the event's own values take precedence over those of its
    /// request and the handler.
    private func all(_ event: LogEvent) -> [(key: String, value: Logger.MetadataValue)] {
        var all = event.metadata.map { Array($0) } ?? []
        for more in [metadataProvider?.get() ?? [:], metadata] where !more.isEmpty {
            for (name, value) in more where !all.contains(where: { $0.key == name }) { all.append((name, value)) }
        }
        return all.sorted { $0.key < $1.key }
    }
}
