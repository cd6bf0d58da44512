// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that each header has one source, and that only a body has a content type.
    mutating func checkHeaders() {
        for (_, endpoint, path) in endpoints {
            var sources: [String: String] = [:]
            let names = endpoint.headers.map { ($0.name, JSONPath.member("\(path).headers", $0.name)) }
            let others: [(String, String)?] = [
                endpoint.basic.map { _ in ("Authorization", "\(path).basic") },
                endpoint.attachesAccessToken ? (document.requestAuthorization.header, "\(path).attach") : nil,
                endpoint.cookies.isEmpty ? nil : ("Cookie", "\(path).cookies"),
                endpoint.contentType.map { _ in ("Content-Type", "\(path).contentType") },
            ]
            for (name, place) in names + others.compactMap(\.self) {
                if let first = sources[name.lowercased()] {
                    error(place, "The header '\(name)' has a value already (\(first)).", "Keep one of the two.")
                }
                sources[name.lowercased()] = place
            }
            if endpoint.contentType != nil, endpoint.body == .none {
                warning("\(path).contentType", "There is no body that could be of this type.", "Remove it.")
            }
            checkBasic(endpoint, path)
        }
        for header in document.requestAuthorization.headers
        where header.name.lowercased() == document.requestAuthorization.header.lowercased() {
            error(
                JSONPath.member("$.attach.headers", header.name),
                "This header carries the access token.",
                "Remove it, or name another one under 'header'."
            )
        }
    }

    private mutating func checkBasic(_ endpoint: Endpoint, _ path: String) {
        guard let basic = endpoint.basic else { return }
        if basic.user == .empty {
            warning("\(path).basic[0]", "The user is empty.", "Give one, unless the backend needs only the password.")
        }
        if basic.user.plainTexts.contains(where: { $0.contains(":") }) {
            error(
                "\(path).basic[0]",
                "A user name in HTTP's Basic scheme must not contain ':' (RFC 7617 section 2).",
                "Put what follows the ':' into the password."
            )
        }
    }
}
