// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A value in a contract file, with its JSON path.
///
/// Its methods return `nil` for an invalid value and record the error.
struct DecodingCursor {
    /// A collector of the errors in one file.
    final class Log {
        /// The source of template values, which determines the names that templates may use.
        enum Vocabulary {
            /// The source is unknown, because the declarations are invalid.
            case anything
            case client(Set<String>)
            case server
        }

        var diagnostics: [ContractDiagnostic] = []
        /// Whether unknown keys are ignored, because the file has a later minor version of the format.
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

    /// Records an unknown key or endpoint, which a later version of the format may define.
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

    /// Decodes a text that is not empty.
    func text() -> String? {
        guard let text = string() else { return nil }
        if text.isEmpty { diagnose("This must not be empty.") }
        return text.isEmpty ? nil : text
    }

    func pointer() -> JSONPointer? {
        guard let text = string() else { return nil }
        if let pointer = JSONPointer(text) { return pointer }
        diagnose("\(text.quoted) is not a JSON pointer; a pointer begins with '/' or is empty.")
        return nil
    }

    /// Decodes a number of seconds from 0 to ten years.
    func seconds() -> Double? {
        guard case .number(let number) = value else { return expected("A number of seconds") }
        guard let seconds = number.double, (0...315_360_000).contains(seconds) else {
            diagnose("\(number.text.prefix(32)) seconds are not between 0 and ten years.")
            return nil
        }
        return seconds
    }

    /// Decodes a case of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type = Choice.self) -> Choice? {
        guard let text = text() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        diagnose("\(text.quoted) must be one of \(choices).")
        return nil
    }

    func items() -> [DecodingCursor]? {
        guard let items = value.array else { return expected("A list") }
        return items.enumerated().map { DecodingCursor(value: $1, path: JSONPath.item(path, $0), log: log) }
    }

    /// Returns the items of a list that is not empty; a value that is not a list counts as a list of one.
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

    /// Decodes an object, and records its unknown keys.
    func fields(_ known: [String]) -> DecodingFields? {
        guard let members = members() else { return nil }
        for (name, cursor) in members where !known.contains(name) {
            let near = known.first {
                !name.isEmpty && ($0.lowercased() == name.lowercased() || $0.hasPrefix(name) || name.hasPrefix($0))
            }
            let hint = near.map { "Did you mean '\($0)'?" } ?? "The keys here are \(known.joined(separator: ", "))."
            cursor.unknown("The key \(name.quoted) is not known. \(hint)")
        }
        return DecodingFields(cursor: self, members: members)
    }
}

/// The members of an object with a fixed set of keys.
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

    /// Returns the member that is present; more than one of the keys is an error.
    func only(of keys: [String]) -> (key: String, cursor: DecodingCursor)? {
        let present = keys.compactMap { key in self[key].map { (key: key, cursor: $0) } }
        if present.count > 1 {
            cursor.diagnose("Only one of \(keys.joined(separator: ", ")) is allowed here.")
        }
        return present.first
    }

    /// Records an error for each of these keys that is present.
    func refuse(_ keys: [String], _ sentence: String) {
        for key in keys { self[key]?.diagnose(sentence) }
    }
}
