// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation

/// What somebody wants of a store: a certain one, or the best there is.
enum StoreChoice: ExpressibleByArgument, Equatable {
    case auto
    case kind(StoreKind)

    static let allValueStrings = ["auto"] + StoreKind.allCases.map(\.rawValue)

    init?(argument: String) {
        if argument == "auto" {
            self = .auto
        } else if let kind = StoreKind(rawValue: argument) {
            self = .kind(kind)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .auto: "auto"
        case .kind(let kind): kind.rawValue
        }
    }

    /// What the environment wants, which a command line overrules.
    static func inEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ToolError) -> StoreChoice? {
        guard let text = environment["FRESHET_STORE"], !text.isEmpty else { return nil }
        guard let choice = StoreChoice(argument: text) else {
            throw ToolError.usage("FRESHET_STORE is \(text), and not one of \(allValueStrings.joined(separator: ", "))")
        }
        return choice
    }

    /// The store that the preference leads to, which can be used now.
    ///
    /// A profile stays with its store until somebody wants another one.
    ///
    /// - Parameters:
    ///   - preference: What somebody wants, if anything.
    ///   - current: Where the profile's session rests, if there is a profile.
    /// - Returns: The store to record.
    /// - Throws: `storeUnavailable` if it cannot be used.
    static func resolve(_ preference: StoreChoice?, current: StoreKind?) throws(ToolError) -> StoreKind {
        switch preference {
        case .kind(let kind):
            if kind != current { try kind.check() }
            return kind
        case nil:
            if let current { return current }
            return try StoreKind.firstUsable()
        case .auto:
            return try StoreKind.firstUsable()
        }
    }
}
