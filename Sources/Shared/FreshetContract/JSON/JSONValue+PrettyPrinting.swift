// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension JSONValue {
    /// Returns formatted JSON text; arrays and objects that fit on a line are written on one.
    package func prettyPrinted(width: Int = 110) -> String { prettyPrinted(depth: 0, taken: 0, width) }

    /// Returns text indented by `depth`, with `taken` columns of the first line already used.
    private func prettyPrinted(depth: Int, taken: Int, _ width: Int) -> String {
        let line = spaced
        let isDocument = depth == 0 && object != nil
        if !isDocument, depth * 2 + taken + line.count < width { return line }
        let space = String(repeating: "  ", count: depth + 1)
        let end = "\n" + String(repeating: "  ", count: depth)
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { space + $0.prettyPrinted(depth: depth + 1, taken: 0, width) }
            return "[\n" + lines.joined(separator: ",\n") + end + "]"
        case .object(let object) where !object.members.isEmpty:
            let lines = object.members.map { member in
                let name = JSONValue.string(member.name).jsonText + ": "
                return space + name + member.value.prettyPrinted(depth: depth + 1, taken: name.count, width)
            }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        default: return line
        }
    }

    /// The value on one line, with spaces after separators.
    private var spaced: String {
        switch self {
        case .array(let items): return "[" + items.map(\.spaced).joined(separator: ", ") + "]"
        case .object(let object):
            let members = object.members.map { JSONValue.string($0.name).jsonText + ": " + $0.value.spaced }
            return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
        default: return jsonText
        }
    }
}
