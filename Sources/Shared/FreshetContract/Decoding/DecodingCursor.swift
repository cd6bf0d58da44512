// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value in a contract file under reading, with the way to it.
///
/// Its methods answer `nil` for what is not as it must be, and put down the mistake.
struct DecodingCursor {
    /// Gathers the mistakes of one file.
    final class Log {
        /// Who fills the templates, and thereby which names they may have.
        enum Vocabulary {
            /// Not known, because the place where it stands is faulty.
            case anything
            case client(Set<String>)
            case server
        }

        var diagnostics: [ContractDiagnostic] = []
        /// Whether keys that are not known are passed over: the file is of a later format.
        var allowsUnknownKeys = false
        var unknownKeys: [ContractDiagnostic] = []
        var vocabulary = Vocabulary.client([])
    }

    let value: JSONValue
    let path: String
    let log: Log

    func diagnose(_ sentence: String) {
        log.diagnostics.append(ContractDiagnostic(path: path, sentence: sentence))
    }

    /// Something that a later format may know.
    func unknown(_ sentence: String) {
        let mistake = ContractDiagnostic(path: path, sentence: sentence)
        if log.allowsUnknownKeys { log.unknownKeys.append(mistake) } else { log.diagnostics.append(mistake) }
    }

    private func expected<Value>(_ kind: String) -> Value? {
        diagnose("\(kind) is expected here, not \(value.mask).")
        return nil
    }

    func string() -> String? { value.string ?? expected("A string") }
    func bool() -> Bool? { value.bool ?? expected("True or false") }

    /// A text that is not empty.
    func text() -> String? {
        guard let text = string() else { return nil }
        if text.isEmpty { diagnose("This must not be empty.") }
        return text.isEmpty ? nil : text
    }

    func pointer() -> JSONPointer? {
        guard let text = string() else { return nil }
        if let pointer = JSONPointer(text) { return pointer }
        diagnose("\(text.quoted) is no JSON pointer; it begins with '/' or is empty.")
        return nil
    }

    /// A number of seconds, from 0 to ten years.
    func seconds() -> Double? {
        guard case .number(let number) = value else { return expected("A number of seconds") }
        guard let seconds = number.double, (0...315_360_000).contains(seconds) else {
            diagnose("\(number.text.prefix(32)) seconds are no time from 0 to ten years.")
            return nil
        }
        return seconds
    }

    /// One of the values that an enumeration lists.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type = Choice.self) -> Choice? {
        guard let text = text() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        diagnose("\(text.quoted) is none of \(choices).")
        return nil
    }

    func items() -> [DecodingCursor]? {
        guard let items = value.array else { return expected("A list") }
        return items.enumerated().map { DecodingCursor(value: $1, path: JSONPath.item(path, $0), log: log) }
    }

    /// A list that is not empty, or one value in the place of a list of one.
    func oneOrMore() -> [DecodingCursor] {
        guard let items = value.array == nil ? [self] : items() else { return [] }
        if items.isEmpty { diagnose("This list must not be empty.") }
        return items
    }

    func members() -> [(name: String, cursor: DecodingCursor)]? {
        guard let object = value.object else { return expected("An object") }
        return object.members.map {
            ($0.name, DecodingCursor(value: $0.value, path: JSONPath.member(path, $0.name), log: log))
        }
    }

    /// An object whose keys are known.
    func fields(_ known: [String]) -> DecodingFields? {
        guard let members = members() else { return nil }
        for (name, cursor) in members where !known.contains(name) {
            let near = known.first {
                !name.isEmpty && ($0.lowercased() == name.lowercased() || $0.hasPrefix(name) || name.hasPrefix($0))
            }
            let hint = near.map { "Is '\($0)' meant?" } ?? "The keys here are \(known.joined(separator: ", "))."
            cursor.unknown("The key \(name.quoted) is not known. \(hint)")
        }
        return DecodingFields(cursor: self, members: members)
    }
}

/// The members of an object with known keys.
struct DecodingFields {
    let cursor: DecodingCursor
    fileprivate let members: [(name: String, cursor: DecodingCursor)]

    fileprivate init(cursor: DecodingCursor, members: [(name: String, cursor: DecodingCursor)]) {
        self.cursor = cursor
        self.members = members
    }

    subscript(key: String) -> DecodingCursor? { members.first { $0.name == key }?.cursor }

    func required(_ key: String) -> DecodingCursor? {
        if let cursor = self[key] { return cursor }
        cursor.diagnose("The key '\(key)' is missing.")
        return nil
    }

    /// The one of several keys that stands here; more than one is a mistake.
    func only(of keys: [String]) -> (key: String, cursor: DecodingCursor)? {
        let present = keys.compactMap { key in self[key].map { (key: key, cursor: $0) } }
        if present.count > 1 {
            cursor.diagnose("Only one of \(keys.joined(separator: ", ")) may stand here.")
        }
        return present.first
    }

    /// Keys that mean something beside certain others only.
    func refuse(_ keys: [String], _ sentence: String) {
        for key in keys { self[key]?.diagnose(sentence) }
    }
}
