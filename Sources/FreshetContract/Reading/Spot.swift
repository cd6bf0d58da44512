// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value in a contract file under reading, with the way to it.
///
/// Its methods answer `nil` for what is not as it must be, and put down the mistake.
struct Spot {
    /// Gathers the mistakes of one file.
    final class Log {
        /// Who fills the templates, and thereby which names they may have.
        enum Vocabulary {
            /// Not known, because the place where it stands is faulty.
            case anything
            case client(Set<String>)
            case server
        }

        var mistakes: [ContractMistake] = []
        /// Whether keys that are not known are passed over: the file is of a later format.
        var allowsUnknownKeys = false
        var unknownKeys: [ContractMistake] = []
        var vocabulary = Vocabulary.client([])
    }

    let value: JSONValue
    let path: String
    let log: Log

    func mistake(_ sentence: String) {
        log.mistakes.append(ContractMistake(path: path, sentence: sentence))
    }

    /// Something that a later format may know.
    func unknown(_ sentence: String) {
        let mistake = ContractMistake(path: path, sentence: sentence)
        if log.allowsUnknownKeys { log.unknownKeys.append(mistake) } else { log.mistakes.append(mistake) }
    }

    private func expected<Value>(_ kind: String) -> Value? {
        mistake("\(kind) is expected here, not \(value.mask).")
        return nil
    }

    func string() -> String? { value.string ?? expected("A string") }
    func bool() -> Bool? { value.bool ?? expected("True or false") }

    /// A text that is not empty.
    func text() -> String? {
        guard let text = string() else { return nil }
        if text.isEmpty { mistake("This must not be empty.") }
        return text.isEmpty ? nil : text
    }

    func pointer() -> JSONPointer? {
        guard let text = string() else { return nil }
        if let pointer = JSONPointer(text) { return pointer }
        mistake("\(text.quoted) is no JSON pointer; it begins with '/' or is empty.")
        return nil
    }

    /// A number of seconds, from 0 to ten years.
    func seconds() -> Double? {
        guard case .number(let number) = value else { return expected("A number of seconds") }
        guard let seconds = number.double, (0...315_360_000).contains(seconds) else {
            mistake("\(number.text.prefix(32)) seconds are no time from 0 to ten years.")
            return nil
        }
        return seconds
    }

    /// One of the values that an enumeration lists.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type = Choice.self) -> Choice? {
        guard let text = text() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        mistake("\(text.quoted) is none of \(choices).")
        return nil
    }

    func items() -> [Spot]? {
        guard let items = value.array else { return expected("A list") }
        return items.enumerated().map { Spot(value: $1, path: JSONPath.item(path, $0), log: log) }
    }

    /// A list that is not empty, or one value in the place of a list of one.
    func oneOrMore() -> [Spot] {
        guard let items = value.array == nil ? [self] : items() else { return [] }
        if items.isEmpty { mistake("This list must not be empty.") }
        return items
    }

    func members() -> [(name: String, spot: Spot)]? {
        guard let object = value.object else { return expected("An object") }
        return object.members.map {
            ($0.name, Spot(value: $0.value, path: JSONPath.member(path, $0.name), log: log))
        }
    }

    /// An object whose keys are known.
    func fields(_ known: [String]) -> Fields? {
        guard let members = members() else { return nil }
        for (name, spot) in members where !known.contains(name) {
            let near = known.first {
                !name.isEmpty && ($0.lowercased() == name.lowercased() || $0.hasPrefix(name) || name.hasPrefix($0))
            }
            let hint = near.map { "Is '\($0)' meant?" } ?? "The keys here are \(known.joined(separator: ", "))."
            spot.unknown("The key \(name.quoted) is not known. \(hint)")
        }
        return Fields(spot: self, members: members)
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

    /// Keys that mean something beside certain others only.
    func refuse(_ keys: [String], _ sentence: String) {
        for key in keys { self[key]?.mistake(sentence) }
    }
}
