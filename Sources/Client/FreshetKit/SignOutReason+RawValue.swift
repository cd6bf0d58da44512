// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

extension SignOutReason: RawRepresentable {
    /// The reason's name, as it is stored, sent and logged.
    public var rawValue: String {
        switch source {
        case .client(let name, _): name
        case .server(let reason): reason.rawValue
        case .unknown(let name): name
        }
    }

    /// Creates the reason of a name.
    ///
    /// - Returns: ``other(_:)`` for a name that this version does not know, and `nil` for a string that is not a valid
    ///   name.
    public init?(rawValue: String) {
        if let reason = Self.clientReasons[rawValue] {
            self = reason
        } else if let reason = KnownEndReason(rawValue: rawValue) {
            self.init(reason)
        } else if UnknownEndReason(rawValue).text == rawValue {
            self = .other(rawValue)
        } else {
            return nil
        }
    }
}

extension SignOutReason: Codable {
    /// Decodes a name; an invalid one becomes ``unspecified``, so that a stored session stays readable.
    public init(from decoder: any Decoder) throws {
        self = SignOutReason(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unspecified
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension SignOutReason: CaseIterable {
    /// The reasons that this version knows.
    public static let allCases: [SignOutReason] = clientCases + KnownEndReason.allCases.map(SignOutReason.init)

    /// The reasons that the SDK gives itself.
    private static let clientCases: [SignOutReason] = [
        .requested, .replaced, .removed, .unspecified, .unrenewable, .expired, .revoked,
    ]

    static let clientReasons = Dictionary(uniqueKeysWithValues: clientCases.map { ($0.rawValue, $0) })
}
