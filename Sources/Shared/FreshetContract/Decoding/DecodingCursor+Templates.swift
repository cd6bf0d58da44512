// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension DecodingCursor {
    /// Decodes a template, and checks its names against the current vocabulary.
    func template() -> Template? {
        guard let text = string() else { return nil }
        let template: Template
        do throws(Template.Fault) { template = try Template(text) } catch {
            diagnose("This is not a template: \(error.sentence).")
            return nil
        }
        for name in Set(template.names).sorted() {
            switch log.vocabulary {
            case .client(let names) where !names.contains(name):
                diagnose("'\(name)' is neither built in nor among the variables and secrets.")
            case .server where !ServerDefinition.names.contains(name):
                diagnose(
                    "'\(name)' is not a value of a response; the values are \(ServerDefinition.names.sorted().joined(separator: ", "))."
                )
            default: break
            }
        }
        return template
    }

    /// Decodes any JSON whose strings are templates.
    func jsonTemplate() -> JSONTemplate? {
        switch value {
        case .string: return template().map(JSONTemplate.text)
        case .array: return .array(items()?.compactMap { $0.jsonTemplate() } ?? [])
        case .object:
            return .object(members()?.compactMap { name, cursor in cursor.jsonTemplate().map { (name, $0) } } ?? [])
        default: return .constant(value)
        }
    }

    /// Decodes the fields of a query or a form.
    func named() -> [NamedTemplate] {
        guard let members = members() else { return [] }
        return members.compactMap { name, cursor in
            if name.isEmpty { cursor.diagnose("A field needs a name.") }
            return cursor.template().map { NamedTemplate(name: name, template: $0) }
        }
    }

    /// Decodes headers or cookies, whose names are tokens (RFC 9110 section 5.1, RFC 6265 section 4.1.1).
    func headers(_ kind: String = "header") -> [NamedTemplate] {
        guard let members = members() else { return [] }
        return members.compactMap { name, cursor in
            if !name.isHTTPToken { cursor.diagnose("\(name.quoted) is not a \(kind) name.") }
            guard let template = cursor.template() else { return nil }
            if !template.plainTexts.allSatisfy(\.isHeaderText) {
                cursor.diagnose("A \(kind) must not contain line breaks or other control characters.")
            }
            return NamedTemplate(name: name, template: template)
        }
    }

    func pathTemplate() -> Template? {
        guard let template = template() else { return nil }
        let texts = template.plainTexts
        if case .text(let start)? = template.parts.first, start.hasPrefix("/"),
            !texts.contains(where: { $0.contains("?") || $0.contains("#") })
        {
            return template
        }
        diagnose("A path begins with '/' and has no query; use the key for the query.")
        return nil
    }
}

extension Template {
    /// The literal text between the values.
    package var plainTexts: [String] {
        parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
