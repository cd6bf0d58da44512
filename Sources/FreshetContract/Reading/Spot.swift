// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value in a contract file under reading, with the way to it.
///
/// Its methods answer `nil` for what is not as it must be, and put down the mistake.
struct Spot {
    /// Gathers the mistakes of one file.
    final class Log {
        var mistakes: [ContractMistake] = []
        /// Whether keys that are not known are passed over: the file is of a later format.
        var allowsUnknownKeys = false
        var unknownKeys: [ContractMistake] = []
    }

    let value: JSONValue
    let path: String
    let log: Log

    func mistake(_ sentence: String) {
        log.mistakes.append(ContractMistake(path: path, sentence: sentence))
    }

    private func expected<Value>(_ kind: String) -> Value? {
        mistake("\(kind) is expected here, not \(value.mask).")
        return nil
    }

    func string() -> String? { value.string ?? expected("a string") }
    func bool() -> Bool? { value.bool ?? expected("true or false") }

    /// A text that is not empty.
    func text() -> String? {
        guard let text = string() else { return nil }
        if text.isEmpty { mistake("This must not be empty.") }
        return text.isEmpty ? nil : text
    }

    /// A number of seconds, from 0 to ten years.
    func seconds() -> Double? {
        guard case .number(let number) = value, let seconds = number.double else {
            return expected("a number of seconds")
        }
        guard (0...315_360_000).contains(seconds) else {
            mistake("\(number.text) seconds are no time from 0 to ten years.")
            return nil
        }
        return seconds
    }

    func template() -> Template? {
        guard let text = string() else { return nil }
        do throws(Template.Fault) { return try Template(text) } catch {
            mistake("This is no template: \(error.sentence).")
            return nil
        }
    }

    /// Any JSON whose strings are templates.
    func jsonTemplate() -> JSONTemplate? {
        switch value {
        case .string: return template().map(JSONTemplate.text)
        case .array: return .array(items()?.compactMap { $0.jsonTemplate() } ?? [])
        case .object:
            return .object(members()?.compactMap { name, spot in spot.jsonTemplate().map { (name, $0) } } ?? [])
        default: return .constant(value)
        }
    }

    /// One of the values that an enumeration lists.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type = Choice.self) -> Choice? {
        guard let text = string() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        mistake("'\(text)' is none of \(choices).")
        return nil
    }

    func items() -> [Spot]? {
        guard let items = value.array else { return expected("a list") }
        return items.enumerated().map { Spot(value: $1, path: "\(path)[\($0)]", log: log) }
    }

    /// A list, or one value in the place of a list of one.
    func oneOrMore() -> [Spot] { value.array == nil ? [self] : items() ?? [] }

    func members() -> [(name: String, spot: Spot)]? {
        guard let object = value.object else { return expected("an object") }
        return object.members.map { ($0.name, Spot(value: $0.value, path: path + Self.step($0.name), log: log)) }
    }

    /// An object whose keys are known.
    func fields(_ known: [String]) -> Fields? {
        guard let members = members() else { return nil }
        for (name, spot) in members where !known.contains(name) {
            let near = known.filter { $0.lowercased() == name.lowercased() || $0.hasPrefix(name) || name.hasPrefix($0) }
            let hint = near.isEmpty ? "The keys here are \(known.joined(separator: ", "))." : "Is '\(near[0])' meant?"
            let unknown = ContractMistake(path: spot.path, sentence: "The key '\(name)' is not known. \(hint)")
            if log.allowsUnknownKeys { log.unknownKeys.append(unknown) } else { log.mistakes.append(unknown) }
        }
        return Fields(spot: self, members: members)
    }

    /// A part of a JSON path; names that are no plain words are quoted.
    private static func step(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.allSatisfy { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return isPlain ? ".\(name)" : "[\(JSONValue.string(name).jsonText)]"
    }
}

/// The members of an object with known keys.
struct Fields {
    let spot: Spot
    fileprivate let members: [(name: String, spot: Spot)]

    fileprivate init(spot: Spot, members: [(name: String, spot: Spot)]) {
        self.spot = spot
        self.members = members
    }

    subscript(key: String) -> Spot? { members.first { $0.name == key }?.spot }

    func required(_ key: String) -> Spot? {
        if let spot = self[key] { return spot }
        spot.mistake("The key '\(key)' is missing.")
        return nil
    }

    /// The one of several keys that stands here; more than one is a mistake.
    func only(of keys: [String]) -> (key: String, spot: Spot)? {
        let present = keys.compactMap { key in self[key].map { (key: key, spot: $0) } }
        if present.count > 1 {
            spot.mistake("Only one of \(keys.joined(separator: ", ")) may stand here.")
        }
        return present.first
    }
}
