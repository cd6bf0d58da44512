// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting

extension BackendSettings {
    /// Changes the settings that are members of a JSON object.
    mutating func merge(_ json: Data) throws {
        guard let changes = try JSONSerialization.jsonObject(with: json) as? [String: Any] else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the settings must be a JSON object")
            )
        }
        let current = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self)) as? [String: Any] ?? [:]
        let merged = try JSONSerialization.data(withJSONObject: current.merging(changes) { $1 })
        self = try JSONDecoder().decode(BackendSettings.self, from: merged)
    }

    /// Changes the lifetimes that are not `nil`.
    mutating func merge(lifetimes access: Duration?, _ refresh: Duration?) throws {
        let seconds = ["access_lifetime": access, "refresh_lifetime": refresh].compactMapValues {
            $0.map { $0 / .seconds(1) }
        }
        try merge(try JSONEncoder().encode(seconds))
    }
}
