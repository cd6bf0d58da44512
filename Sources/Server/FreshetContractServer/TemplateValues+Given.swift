// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetWire

extension TemplateValues {
    /// Returns a text value that the request must have.
    func required(_ name: String) throws(APIError) -> String {
        switch self[name] {
        case nil, .null?: throw APIError(.invalidRequest, "\(name) is missing")
        case let value?:
            guard let text = value.text else {
                throw APIError(.invalidRequest, "\(name) \(value == .string("") ? "is missing" : "has the wrong type")")
            }
            return text
        }
    }

    /// The client's description of its device: an object as in the native contract, or a name.
    var device: Device? {
        switch self["device"] {
        case .string(let name)?: return Device(name: name)
        case .object(let facts)?:
            return Device(
                name: facts["name"]?.string,
                platform: facts["platform"]?.string,
                model: facts["model"]?.string,
                app: facts["app"]?.string,
                appVersion: (facts.value(inAnyCasing: "app_version"))?.string
            )
        default: return nil
        }
    }

    /// Returns values with a message for the user.
    static func message(_ text: String) -> TemplateValues { TemplateValues(["message": .string(text)]) }
}
