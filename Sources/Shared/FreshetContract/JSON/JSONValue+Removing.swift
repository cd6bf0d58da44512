// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension JSONValue {
    /// Returns this value without the member at a pointer; the root is never removed.
    package func removing(_ pointer: JSONPointer, anyCasing: Bool) -> JSONValue {
        removing(pointer.tokens[...], anyCasing)
    }

    private func removing(_ tokens: ArraySlice<String>, _ anyCasing: Bool) -> JSONValue {
        guard let token = tokens.first, case .object(let object) = self else { return self }
        let members = object.members.compactMap { member -> JSONObject.Member? in
            guard JSONObject.areSame(member.name, token, anyCasing: anyCasing) else { return member }
            guard tokens.count > 1 else { return nil }
            return JSONObject.Member(member.name, member.value.removing(tokens.dropFirst(), anyCasing))
        }
        return .object(JSONObject(members))
    }

    /// Returns this value without the members and items that equal one of these texts, at any depth.
    package func removing(texts: Set<String>) -> JSONValue {
        func isKept(_ value: JSONValue) -> Bool { value.string.map { !texts.contains($0) } ?? true }
        switch self {
        case .object(let object):
            let kept = object.members.filter { isKept($0.value) }
            return .object(JSONObject(kept.map { .init($0.name, $0.value.removing(texts: texts)) }))
        case .array(let items): return .array(items.filter(isKept).map { $0.removing(texts: texts) })
        default: return self
        }
    }
}
