// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An environment variable whose name begins as those of settings do, and that no setting has.
struct UnknownVariable: Equatable, CustomStringConvertible {
    /// The variables of the tool that are no settings of the server.
    private static let others = ["CONFIG", "PROFILE", "STORE", "METRICS_FILE"].map { "FRESHET_" + $0 }

    let name: String
    /// The variable that was probably meant, if one has nearly this name.
    let suggestion: String?

    var description: String {
        "\(name): no setting has this name" + (suggestion.map { "; did you mean \($0)?" } ?? "")
    }

    /// Returns the unknown variables of an environment, sorted by name.
    static func all(in environment: [String: String], _ settings: [Setting]) -> [UnknownVariable] {
        let known = settings.flatMap(\.names).map(Setting.variable) + others
        return environment.keys.filter { $0.hasPrefix("FRESHET_") && !known.contains($0) }.sorted().map { name in
            UnknownVariable(name: name, suggestion: name.nearest(of: known))
        }
    }
}
