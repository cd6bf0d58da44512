// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetHTTP

extension RoutePattern {
    /// Creates the pattern of a template under a prefix, with the contract's constants filled in.
    ///
    /// - Returns: `nil` if the router cannot separate the values, or would interpret literal text as syntax.
    init?(_ template: Template, prefix: String, constants: [String: String]) {
        var path = prefix
        for part in template.parts {
            switch part {
            case .text(let text):
                guard !text.contains(where: { "{}*".contains($0) }), !text.contains("/:") else { return nil }
                path += text
            case .value(let name): path += constants[name] ?? "{\(name)}"
            }
        }
        guard path.unicodeScalars.split(separator: "/").allSatisfy({ $0.count(where: { $0 == "{" }) <= 1 }) else {
            return nil
        }
        self.init(path: path)
    }
}
