// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation

/// The user's choice of a store: a specific one, or the best available.
enum StoreChoice: ExpressibleByArgument, Equatable {
    case auto
    case kind(StoreKind)

    static let allValueStrings = ["auto"] + StoreKind.allCases.map(\.rawValue)

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

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

    /// Returns the choice in the environment, which the command line overrides.
    static func inEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ToolError) -> StoreChoice? {
        guard let text = environment["FRESHET_STORE"], !text.isEmpty else { return nil }
        guard let choice = StoreChoice(argument: text) else {
            throw ToolError.usage(
                "FRESHET_STORE is \(text), but must be one of \(allValueStrings.joined(separator: ", "))"
            )
        }
        return choice
    }

    /// Returns the usable kind of store for a choice.
    ///
    /// A profile keeps its store until the user chooses another one.
    ///
    /// - Parameters:
    ///   - preference: The user's choice, if any.
    ///   - current: The store of the profile's session, if there is a profile.
    /// - Returns: The kind of store to save.
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
