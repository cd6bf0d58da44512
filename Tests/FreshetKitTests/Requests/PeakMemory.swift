// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The most memory that this process had at once, on Linux.
enum PeakMemory {
    /// Starts to count anew, from what is in use now.
    ///
    /// - Returns: The memory in use now, in bytes; `nil` where the system does not report it.
    static func restart() -> Int? {
        guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil else { return nil }
        return highest
    }

    static var highest: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }
}
