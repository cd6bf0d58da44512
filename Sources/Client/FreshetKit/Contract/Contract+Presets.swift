// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

// A function that is exported as an implementation is compiled into the modules that call it, and is not part of the
// SDK's own code. So a program contains the texts of the presets that it uses, and no others.
extension Contract {
    /// Returns the preset of a name, for tools; a program that calls it contains all presets.
    ///
    /// - Throws: ``ContractError`` if there is no preset of that name.
    @export(implementation)
    public static func named(_ name: String) throws(ContractError) -> Contract {
        guard let preset = preset(name) else { throw unknownPreset(name) }
        return preset
    }

    @usableFromInline
    static func unknownPreset(_ name: String) -> ContractError {
        let known = presets.joined(separator: ", ")
        return ContractError(path: "$", sentence: "There is no preset '\(name)'; there are \(known).")
    }

    /// Returns a preset, which is parsed once.
    @usableFromInline
    init(preset name: String, _ text: String) {
        if let known = Self.parsed.withLock({ $0[name] }) {
            self = known
            return
        }
        // The fallback has no endpoints, so it sends nothing; a test ensures that every preset is valid.
        self = (try? Contract(json: Data(text.utf8))) ?? Contract(ContractDocument(name: name, title: name), .null)
        Self.parsed.withLock { [self] in $0[name] = self }
    }

    /// The presets that were parsed, by name.
    private static let parsed = Locked<[String: Contract]>([:])
}
