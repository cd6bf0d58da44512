// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Glibc

/// Where the figures were taken: they mean nothing anywhere else.
struct Machine: Codable {
    var cores: Int
    var cpu: String
    var system: String
    var swift: String
    /// How many programs wanted a core in the last minute, before the benchmark began.
    var load: Double

    /// This machine; `swift` tells what `swift --version` said.
    static func this(swift: String) -> Machine {
        var load = [0.0]
        getloadavg(&load, 1)
        return Machine(
            cores: ProcessInfo.processInfo.activeProcessorCount,
            cpu: field("model name", separator: ":", in: "/proc/cpuinfo") ?? "unknown CPU",
            system: field("PRETTY_NAME", separator: "=", in: "/etc/os-release") ?? "Linux",
            swift: swift,
            load: load[0]
        )
    }

    private static func field(_ name: String, separator: Character, in file: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let value = line?.split(separator: separator, maxSplits: 1).last
        return value.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")) }
    }
}
