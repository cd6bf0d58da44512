// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

/// Reads values from a response, whose body is parsed lazily and at most once.
struct ReplyReader {
    let answer: HTTPReply
    let shape: TokenResponseDefinition
    /// The secrets of the request, which texts for developers do not contain.
    let secrets: [String]
    private var parsed: JSONValue??
    private var envelope: JSONValue?

    init(_ answer: HTTPReply, _ shape: TokenResponseDefinition, hiding secrets: [String] = []) {
        self.answer = answer
        self.shape = shape
        self.secrets = secrets
    }

    /// Returns the whole body; `nil` if it is too large, or not in the contract's encoding.
    mutating func root() -> JSONValue? {
        if let parsed { return parsed }
        let value = answer.body.count <= Contract.largestAnswer && !answer.isPage ? parse() : nil
        parsed = .some(value)
        return value
    }

    private func parse() -> JSONValue? {
        let isForm: Bool
        switch shape.encoding {
        case .json: isForm = false
        case .form: isForm = !answer.isJSON
        case .auto: isForm = answer.mediaType == "application/x-www-form-urlencoded"
        }
        guard isForm else { return try? JSONParser.parse(answer.body) }
        guard let text = String(utf8: answer.body), let fields = URLEncodedForm.decode(text) else {
            return nil
        }
        return .object(JSONObject(fields.map { .init($0.name, .string($0.value)) }))
    }

    /// Returns the value at a place relative to the root.
    mutating func value(fromRoot place: Selector) -> JSONValue? {
        switch place {
        case .pointer(let pointer): root().flatMap { pointer.value(in: $0, anyCasing: shape.anyCasing) }
        case .header(let name): answer.header(name).map(JSONValue.string)
        case .cookie(let name): answer.cookie(name).map(JSONValue.string)
        }
    }

    /// Returns the first value of several places relative to the envelope; null counts as missing.
    mutating func value(_ places: [Selector]) -> JSONValue? {
        for place in places {
            let value: JSONValue?
            switch place {
            case .pointer(let pointer):
                value = inner().flatMap { pointer.value(in: $0, anyCasing: shape.anyCasing) }
            case .header(let name):
                // Removes a scheme before the token.
                value = answer.header(name).map {
                    .string($0.unicodeScalars.split(separator: " ").last.map(String.init) ?? "")
                }
            case .cookie(let name): value = answer.cookie(name).map(JSONValue.string)
            }
            if let value, value != .null { return value }
        }
        return nil
    }

    /// Returns the first text that is not empty.
    mutating func text(_ places: [Selector]) -> String? {
        for place in places { if let text = value([place])?.text { return text } }
        return nil
    }

    /// Returns the first token; an empty text counts as missing.
    ///
    /// - Throws: ``ContractFault`` for a value that is not a string. Such a value comes from another backend or a
    ///   changed one, and adopting it would replace a valid token.
    mutating func token(_ places: [Selector], _ name: String) throws(ContractFault) -> String? {
        for place in places {
            guard let value = value([place]) else { continue }
            guard let text = value.string else { throw ContractFault("the \(name) is not a string") }
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns the content of the envelope.
    mutating func inner() -> JSONValue? {
        if let envelope { return envelope }
        guard let root = root() else { return nil }
        let inner =
            shape.envelope.isEmpty
            ? root
            : shape.envelope.lazy.compactMap { [anyCasing = shape.anyCasing] in $0.value(in: root, anyCasing: anyCasing)
            }
            .first { $0 != .null }
        envelope = inner
        return inner
    }

    mutating func holds(_ conditions: [Condition]) -> Bool {
        for condition in conditions where !condition.holds(for: value(fromRoot: condition.place)) { return false }
        return true
    }
}
