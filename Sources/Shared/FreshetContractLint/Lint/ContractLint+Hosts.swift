// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that the hosts to which tokens may be sent are valid.
    mutating func checkHosts() {
        var seen: Set<String> = []
        for (index, text) in document.requestAuthorization.hosts.enumerated() {
            let path = JSONPath.item("$.attach.hosts", index)
            if !Self.isHost(text) {
                error(
                    path,
                    "\(text.quoted) is not a host, so no request would carry the token.",
                    "Give the full host name, with its port if it is not the default: 'api.example.com', 'localhost:8080'."
                )
            } else if !seen.insert(text.lowercased()).inserted {
                warning(path, "\(text.quoted) is a duplicate of an earlier one.", "Remove it.")
            }
            if text.lowercased().hasPrefix("http://") {
                warning(path, "An attacker on the network path to \(text.quoted) can read the token.", "Use https.")
            }
        }
    }

    /// Whether the text is a host, with an optional scheme and port.
    static func isHost(_ text: String) -> Bool {
        var rest = Substring(text.lowercased())
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        if rest.hasPrefix("["), let end = rest.unicodeScalars.lastIndex(of: "]") {
            let address = rest[rest.index(after: rest.startIndex)..<end]
            return address.contains(":") && address.allSatisfy { $0.isHexDigit || ":.".contains($0) }
                && isPort(rest[rest.index(after: end)...])
        }
        let name = rest[..<(rest.unicodeScalars.firstIndex(of: ":") ?? rest.endIndex)]
        let labels = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(Substring.init)
        return name.utf8.count <= 253 && labels.allSatisfy(isLabel) && isPort(rest[name.endIndex...])
    }

    /// Whether the text is a label of a host name (RFC 1123 section 2.1), or one with underscores.
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether the text is empty, or a colon and a port number.
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        let digits = text.dropFirst()
        return digits.allSatisfy { $0.isASCII && $0.isNumber } && (1...65535).contains(Int(digits) ?? 0)
    }
}
