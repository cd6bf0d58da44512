// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract

/// The parts of a response that a client's decoder and error handling depend on: everything but the values.
///
/// The body is compared byte by byte once its values are masked: names, their order, types and white space count, and so do
/// constants that the app's client knows.
struct ResponseShape: Equatable, CustomStringConvertible {
    var status: Int
    var contentType: String?
    /// The scheme of the challenge.
    var challenge: String?
    var body: String

    /// - Parameters:
    ///   - answer: The response.
    ///   - constants: Texts that are kept as they are.
    init(_ answer: AppResponse, keeping constants: Set<String>) {
        status = answer.status
        contentType = answer.header("Content-Type")
        challenge = answer.header("WWW-Authenticate")?.split(separator: " ").first.map(String.init)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let value = try? JSONParser.parse(answer.body) else {
            body = text
            return
        }
        // Both writers leave white space out; one that does not is told by its bytes.
        body = value.jsonText == text ? Self.masked(value, constants).jsonText : text
    }

    var description: String { "\(status) \(contentType ?? "-") \(challenge ?? "-") \(body)" }

    private static func masked(_ value: JSONValue, _ constants: Set<String>) -> JSONValue {
        switch value {
        case .string(let text): .string(constants.contains(text) ? text : "text")
        case .number: .number(JSONNumber(0))
        case .array(let items): .array(items.map { masked($0, constants) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { member in
                        // The codes of errors are constants of the app's protocol.
                        let isConstant = ["error", "token_type", "tokenType"].contains(member.name)
                        return .init(member.name, isConstant ? member.value : masked(member.value, constants))
                    }
                )
            )
        case .null, .bool: value
        }
    }
}
