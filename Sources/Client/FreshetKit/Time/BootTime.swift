// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The time since the system was started, and the ID of that start.
///
/// It runs during sleep, cannot be set, and is the same for all processes until the next restart. The age of a record
/// is thus exact within one run of the system, regardless of the wall clock.
package struct BootTime: Equatable, Sendable {
    /// A value that differs between starts.
    package var boot: String
    package var elapsed: Duration

    package init(boot: String, elapsed: Duration) {
        self.boot = boot
        self.elapsed = elapsed
    }

    /// The current time; `nil` if the system does not provide it.
    static var now: BootTime? {
        guard let boot else { return nil }
        var time = timespec()
        #if canImport(Darwin)
            // On Apple's systems this clock runs during sleep, unlike CLOCK_UPTIME_RAW.
            let clock = CLOCK_MONOTONIC_RAW
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return BootTime(boot: boot, elapsed: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    private static let boot: String? = {
        #if canImport(Darwin)
            var text = [CChar](repeating: 0, count: 64)
            var size = text.count
            guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return text.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap { $0.isEmpty ? nil : $0 }
        #endif
    }()
}
