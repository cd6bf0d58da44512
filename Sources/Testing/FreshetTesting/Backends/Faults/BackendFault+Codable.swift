// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension BackendFault: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case fault, status, acts, to, type, headers, body
        case retryAfter = "retry_after"
    }

    /// Decodes the name of a fault and its parameters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .fault)
        switch name {
        case "request_lost": self = .requestLost
        case "reply_lost": self = .replyLost
        case "status":
            self = .status(
                try container.status() ?? 500,
                retryAfter: try container.decodeIfPresent(Int.self, forKey: .retryAfter),
                acts: try container.decodeIfPresent(Bool.self, forKey: .acts) ?? false
            )
        case "html": self = .html(status: try container.status() ?? 200)
        case "garbage": self = .garbage
        case "truncated": self = .truncated
        case "empty": self = .empty
        case "mislabelled":
            let type = try container.decodeIfPresent(String.self, forKey: .type)
            self = type.map { .mislabelled(as: $0) } ?? .mislabelled()
        case "unsuccessful": self = .unsuccessful
        case "redirect": self = .redirect(to: try container.decodeIfPresent(String.self, forKey: .to))
        case "held": self = .held
        case "answer":
            self = .answer(
                status: try container.status() ?? 200,
                headers: try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
                body: try container.decodeIfPresent(String.self, forKey: .body) ?? ""
            )
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .fault,
                in: container,
                debugDescription: "there is no fault \"\(name)\": \(Self.names.joined(separator: ", "))"
            )
        }
    }

    /// Encodes the name of the fault and its parameters.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .fault)
        switch self {
        case .status(let status, let seconds, let acts):
            try container.encode(status, forKey: .status)
            try container.encodeIfPresent(seconds, forKey: .retryAfter)
            try container.encode(acts, forKey: .acts)
        case .html(let status): try container.encode(status, forKey: .status)
        case .mislabelled(let type): try container.encode(type, forKey: .type)
        case .redirect(let origin): try container.encodeIfPresent(origin, forKey: .to)
        case .answer(let status, let headers, let body):
            try container.encode(status, forKey: .status)
            try container.encode(headers, forKey: .headers)
            try container.encode(body, forKey: .body)
        case .requestLost, .replyLost, .garbage, .truncated, .empty, .unsuccessful, .held: break
        }
    }

    private static let names = [
        "request_lost", "reply_lost", "status", "html", "garbage", "truncated", "empty", "mislabelled", "unsuccessful",
        "redirect", "held", "answer",
    ]

    private var name: String {
        switch self {
        case .requestLost: "request_lost"
        case .replyLost: "reply_lost"
        case .status: "status"
        case .html: "html"
        case .garbage: "garbage"
        case .truncated: "truncated"
        case .empty: "empty"
        case .mislabelled: "mislabelled"
        case .unsuccessful: "unsuccessful"
        case .redirect: "redirect"
        case .held: "held"
        case .answer: "answer"
        }
    }
}

extension KeyedDecodingContainer<BackendFault.CodingKeys> {
    /// Returns the status, if there is one, and checks its range.
    fileprivate func status() throws -> Int? {
        guard let status = try decodeIfPresent(Int.self, forKey: .status) else { return nil }
        guard 200..<600 ~= status else {
            throw DecodingError.dataCorruptedError(
                forKey: .status,
                in: self,
                debugDescription: "a status is a number from 200 to 599"
            )
        }
        return status
    }
}
