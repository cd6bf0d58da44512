// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The JSON Schema of a body; a type in FreshetWire or beside the route encodes and decodes it.
struct OpenAPISchema: Sendable {
    let name: String
    /// The schema as JSON text.
    let text: String

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// The schemas of all sections.
    static let all: [OpenAPISchema] = OpenAPISection.all.flatMap(\.schemas)

    /// The values of `reason`; not an `enum`, since a newer server on the same database may add values.
    static let endReasons = EndReason.allCases.map(\.rawValue).joined(separator: ", ") + ", or one of a newer version"
}
