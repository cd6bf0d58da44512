// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// A template with its place in a request.
struct PlacedTemplate {
    enum Place {
        case path
        case query
        case header
        case cookie
        case basic
        case body

        /// Whether the text is part of the URL, which proxies and servers write into their logs.
        var isInURL: Bool { self == .path || self == .query }
    }

    let path: String
    let place: Place
    /// The name of the header, cookie or field.
    var name: String?
    let template: Template
}

extension Endpoint {
    /// Returns all templates of this endpoint, whose JSON path is `path`.
    func placed(at path: String) -> [PlacedTemplate] {
        var all = [PlacedTemplate(path: "\(path).path", place: .path, template: self.path)]
        all += query.placed(at: "\(path).query", .query)
        all += headers.placed(at: "\(path).headers", .header)
        all += cookies.placed(at: "\(path).cookies", .cookie)
        if let basic {
            all.append(PlacedTemplate(path: "\(path).basic[0]", place: .basic, template: basic.user))
            all.append(PlacedTemplate(path: "\(path).basic[1]", place: .basic, template: basic.password))
        }
        switch body {
        case .none: break
        case .json(let template): all += template.placed(at: "\(path).json", .body)
        case .form(let fields): all += fields.placed(at: "\(path).form", .body)
        }
        return all
    }
}

extension [NamedTemplate] {
    func placed(at path: String, _ place: PlacedTemplate.Place) -> [PlacedTemplate] {
        map { PlacedTemplate(path: JSONPath.member(path, $0.name), place: place, name: $0.name, template: $0.template) }
    }
}

extension JSONTemplate {
    func placed(at path: String, _ place: PlacedTemplate.Place) -> [PlacedTemplate] {
        switch self {
        case .constant: []
        case .text(let template): [PlacedTemplate(path: path, place: place, template: template)]
        case .array(let items):
            items.enumerated().flatMap { $1.placed(at: JSONPath.item(path, $0), place) }
        case .object(let members):
            members.flatMap { $0.value.placed(at: JSONPath.member(path, $0.name), place) }
        }
    }
}
