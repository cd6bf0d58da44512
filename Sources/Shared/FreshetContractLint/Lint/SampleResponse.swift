// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// A server response with sample values, as a client of the contract would interpret it.
struct SampleResponse {
    /// Distinct sample values.
    private static let values: TemplateValues = {
        var values = TemplateValues()
        for name in ServerDefinition.names { values[name] = .string("the \(name)") }
        for name in ["expires_in", "expires_at", "refresh_expires_in", "user_number", "now"] {
            values[name] = .number(JSONNumber(1))
        }
        return values
    }()

    let status: Int
    private let body: JSONValue?
    private let headers: [(name: String, value: String)]
    private let document: ContractDocument

    init(_ answer: ServerDefinition.Answer, _ document: ContractDocument) {
        status = answer.status
        body = (try? answer.json?.value(Self.values)) ?? nil
        headers = answer.headers.compactMap { header in
            ((try? header.template.text(Self.values)) ?? nil).map { (header.name, $0) }
        }
        self.document = document
    }

    /// Whether the response has a value at one of the places.
    func has(_ name: String, at places: [Selector]) -> Bool {
        let wanted = Self.values[name]?.text ?? ""
        return places.contains { place in
            if case .pointer(let pointer) = place {
                return inner.flatMap { pointer.value(in: $0, anyCasing: document.reply.anyCasing) }?.text == wanted
            }
            // The value may be accompanied by a scheme or an attribute.
            return value(place)?.text?.contains(wanted) == true
        }
    }

    /// Returns the outcome by the contract's rules.
    func outcome(on channel: ClassificationRule.Channel) -> ClassificationRule.Outcome {
        let rules = document.rules.filter { $0.channels.contains(channel) && $0.closeCodes == nil }
        let rule = (rules + ClassificationRule.builtIn(on: channel)).first {
            $0.covers(status) && holds($0.conditions)
                && ($0.outcome != .sessionEnded || (status != 429 && status < 500))
        }
        let outcome = rule?.outcome ?? .transient
        guard outcome == .delivered, channel == .login || channel == .refresh else { return outcome }
        return holds(document.reply.success) ? .delivered : .contractViolation
    }

    private func holds(_ conditions: [Condition]) -> Bool {
        conditions.allSatisfy { $0.holds(for: value($0.place)) }
    }

    private var inner: JSONValue? {
        guard let body, !document.reply.envelope.isEmpty else { return body }
        return document.reply.envelope.lazy
            .compactMap { $0.value(in: body, anyCasing: document.reply.anyCasing) }
            .first { $0 != .null }
    }

    private func value(_ place: Selector) -> JSONValue? {
        switch place {
        case .pointer(let pointer): return body.flatMap { pointer.value(in: $0, anyCasing: document.reply.anyCasing) }
        case .header(let name): return texts(of: name).first.map(JSONValue.string)
        case .cookie(let name):
            let cookie = texts(of: "Set-Cookie").first { $0.hasPrefix("\(name)=") }
            return cookie.map { .string(String($0.dropFirst(name.count + 1))) }
        }
    }

    private func texts(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
