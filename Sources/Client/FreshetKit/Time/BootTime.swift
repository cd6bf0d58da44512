// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Time since the system was started, and which start that was.
///
/// It runs during sleep, nobody sets it, and it means the same to every process until the next start. So the age of a
/// record is known for certain within one run of the system, whatever happens to the wall clock.
package struct BootTime: Equatable, Sendable {
    /// Differs from start to start.
    package var boot: String
    package var elapsed: Duration

    package init(boot: String, elapsed: Duration) {
        self.boot = boot
        self.elapsed = elapsed
    }

    /// - Returns: `nil` where the system does not tell.
    static var now: BootTime? {
        guard let boot else { return nil }
        var time = timespec()
        #if canImport(Darwin)
            // Runs during sleep there, unlike CLOCK_UPTIME_RAW.
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
