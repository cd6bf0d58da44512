// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Formats times and names for the operators' pages.
enum OperatorText {
    /// Formats a time in UTC, such as `21 Nov 2026, 18:20:05`.
    static func dateTime(_ moment: Timestamp) -> String {
        let parts = ChartText.calendar.dateComponents(
            [.year, .second],
            from: Date(timeIntervalSince1970: moment.seconds)
        )
        let seconds = ChartText.two(Int64(parts.second ?? 0))
        return "\(ChartText.day(moment.minute)) \(parts.year ?? 1970), \(ChartText.time(moment.minute)):\(seconds)"
    }

    /// Formats a time for a `datetime` attribute.
    static func iso8601(_ moment: Timestamp) -> String {
        Date(timeIntervalSince1970: moment.seconds.rounded(.down)).formatted(.iso8601)
    }

    /// Formats a time relative to the current time.
    static func relativeTime(_ moment: Timestamp, from now: Timestamp) -> String {
        let span = now - moment
        if span < .seconds(1), span > .seconds(-1) { return "now" }
        return span > .zero ? "\(span.roundedText) ago" : "in \((.zero - span).roundedText)"
    }

    static func bytes(_ count: Int) -> String {
        var (value, unit) = (Double(count), "bytes")
        for larger in ["kB", "MB", "GB", "TB"] where value >= 1000 {
            value /= 1000
            unit = larger
        }
        return unit == "bytes" ? "\(count) bytes" : "\(ChartUnit.perMinute.text(value)) \(unit)"
    }

    /// Returns the display name of a device, from what its client reported.
    static func name(_ device: Device) -> String {
        [device.name, device.model, device.platform].compactMap(\.self).first { !$0.isEmpty }
            ?? "A device without a name"
    }

    /// Returns the other details that a device's client reported.
    static func detail(_ device: Device) -> String {
        let app = [device.app, device.appVersion].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        let details = [device.model, device.platform, app].compactMap(\.self).filter {
            !$0.isEmpty && $0 != name(device)
        }
        return details.isEmpty ? "The app reported nothing else" : details.joined(separator: " · ")
    }

    /// Returns the display name of a platform.
    static func platform(_ bucket: String) -> String {
        let names = [
            "ios": "iOS", "ipados": "iPadOS", "macos": "macOS", "tvos": "tvOS", "watchos": "watchOS",
            "visionos": "visionOS", "linux": "Linux", "android": "Android", "windows": "Windows", "web": "Web",
            "unknown": "not reported",
        ]
        return names[bucket] ?? bucket
    }

    static func plural(_ count: Int, _ noun: String) -> String {
        "\(ChartText.count(count)) \(noun)\(count == 1 ? "" : "s")"
    }
}
