// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The numbers of live sessions by platform and app version, as reported by clients.
package struct ClientVersionCounts: Equatable, Sendable {
    /// An entry of the counts.
    package struct Line: Equatable, Sendable {
        package var name: String
        package var count: Int

        package init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// The maximum number of client-supplied version names; further names are counted together.
    package static let limit = 500
    /// The maximum length of a name; longer names are truncated.
    package static let longest = 40
    package static let notReported = "not reported"
    package static let others = "others"

    package private(set) var sessions = 0
    private var platforms: [String: Int] = [:]
    private var versions: [String: Int] = [:]

    package init() {}

    package mutating func count(platform: String, app: String?, version: String?) {
        sessions += 1
        Self.count(platform, in: &platforms)
        let parts = [app, version].compactMap(\.self).filter { !$0.isEmpty }
        let name = parts.isEmpty ? Self.notReported : String(parts.joined(separator: " ").prefix(Self.longest))
        Self.count(name, in: &versions)
    }

    /// Returns the platforms, the most frequent first; those beyond `limit` are combined.
    package func platforms(_ limit: Int) -> [Line] { Self.lines(platforms, limit) }

    /// Returns the apps with their versions, in the same order and form.
    package func versions(_ limit: Int) -> [Line] { Self.lines(versions, limit) }

    private static func count(_ name: String, in names: inout [String: Int]) {
        names[names[name] != nil || names.count < limit ? name : others, default: 0] += 1
    }

    private static func lines(_ names: [String: Int], _ limit: Int) -> [Line] {
        var rest = names[others] ?? 0
        let sorted = names.filter { $0.key != others }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for line in sorted.dropFirst(limit) { rest += line.value }
        return sorted.prefix(limit).map { Line($0.key, $0.value) } + (rest > 0 ? [Line(others, rest)] : [])
    }
}
