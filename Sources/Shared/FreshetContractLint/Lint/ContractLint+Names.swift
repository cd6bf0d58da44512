// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that all declared names are used and all keys are known.
    mutating func checkNames() {
        let templates =
            endpoints.flatMap { $0.endpoint.placed(at: $0.path) }
            + document.requestAuthorization.headers.placed(at: "$.attach.headers", .header)
            + (document.socket?.placed ?? [])
        let used = Set(templates.flatMap(\.template.names))
        for name in document.variables.keys.sorted() where !used.contains(name) {
            warning("$.variables.\(name)", "Nothing uses this variable, and the app must give it.", "Remove it.")
        }
        for name in document.secrets.keys.sorted() where !used.contains(name) {
            warning("$.secrets.\(name)", "Nothing uses this secret.", "Remove it.")
        }
        for key in document.unknownKeys {
            warning(key.path, key.sentence, "It is ignored; a later version of Freshet may know it.")
        }
    }

    /// Checks the imports from older versions of the app.
    mutating func checkStorage() {
        let imports = document.storage.imports
        for (index, item) in imports.enumerated() {
            let path = JSONPath.item("$.storage.imports", index)
            if imports[..<index].contains(item) {
                warning(path, "The same items are listed before.", "Remove it.")
            }
            if item.refresh == item.access {
                warning(
                    "\(path).refresh",
                    "This is the place of the access token.",
                    "Say where the refresh token was, or remove it."
                )
            }
            if item.refresh != nil, !hasRefreshToken {
                warning(
                    "\(path).refresh",
                    "With rotation '\(document.rotation.rawValue)' a refresh token has no use.",
                    "Remove it."
                )
            }
        }
    }
}
