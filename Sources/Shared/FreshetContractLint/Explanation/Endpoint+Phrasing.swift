// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension Endpoint {
    /// Returns a description of the request: `POST /auth/refresh with the refresh token in its JSON body`.
    func phrase(_ requestAuthorization: RequestAuthorization) -> String {
        var carried = grouped.map { "\(Phrasing.list($0.names.map(Phrasing.value))) \($0.place)" }
        if attachesAccessToken { carried.append("the access token in the header \(requestAuthorization.header)") }
        let what = carried.isEmpty ? "" : " with \(carried.joined(separator: ", "))"
        let limit = timeout.map { "; the timeout is \(Phrasing.time($0))" } ?? ""
        return "\(method) \(path)\(what)\(limit)"
    }

    /// The names of values by place, without those in the path, because the path itself is printed.
    private var grouped: [(place: String, names: [String])] {
        var groups: [(place: String, names: [String])] = []
        for placed in placed(at: JSONPath.root) {
            guard let place = phrase(placed) else { continue }
            let index = groups.firstIndex { $0.place == place } ?? groups.count
            if index == groups.count { groups.append((place, [])) }
            for name in placed.template.names where !groups[index].names.contains(name) {
                groups[index].names.append(name)
            }
        }
        return groups.filter { !$0.names.isEmpty }
    }

    private func phrase(_ placed: PlacedTemplate) -> String? {
        switch placed.place {
        case .path: return nil
        case .query: return "in its URL"
        case .header: return "in the header \(placed.name ?? "")"
        case .cookie: return "in the cookie \(placed.name ?? "")"
        case .basic: return "as user and password (Basic)"
        case .body:
            if case .form = body { return "in its form" }
            return "in its JSON body"
        }
    }
}
