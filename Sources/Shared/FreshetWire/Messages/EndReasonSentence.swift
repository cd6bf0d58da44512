// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A sentence about an ended session, with placeholders for details of that session.
///
///     let sentence: EndReasonSentence = "You did that\(.initiator, before: " from ")."
package struct EndReasonSentence: Equatable, Sendable, ExpressibleByStringInterpolation {
    package enum Detail: Sendable {
        /// The session or device that ended the session.
        case initiator
        /// The operator's reason.
        case operatorReason
        /// The generation of the token whose reuse revealed a theft.
        case generation
        /// The addresses from which its tokens were presented.
        case sources
        /// The time since the session's last use.
        case idleTime
        /// The age of the session.
        case age
    }

    fileprivate struct Part: Equatable {
        var text = ""
        var detail: Detail?
        /// The text after the detail.
        var suffix = ""
        /// The replacement for the part if the detail is unknown.
        var alternative = ""
    }

    private let parts: [Part]

    package init(stringLiteral text: String) { parts = [Part(text: text)] }

    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { parts.append(Part(text: text)) }

        /// Adds a detail.
        ///
        /// - Parameters:
        ///   - detail: The detail.
        ///   - prefix: Precedes the detail if it is known.
        ///   - suffix: Follows the detail if it is known.
        ///   - alternative: Replaces the detail if it is not known.
        package mutating func appendInterpolation(
            _ detail: Detail,
            before prefix: String = "",
            after suffix: String = "",
            else alternative: String = ""
        ) {
            parts.append(Part(text: prefix, detail: detail, suffix: suffix, alternative: alternative))
        }
    }

    /// Returns the sentence with its details, of which `value` returns those that are known.
    package func text(_ value: (Detail) -> String?) -> String {
        parts.map { part in
            guard let detail = part.detail else { return part.text }
            return value(detail).map { part.text + $0 + part.suffix } ?? part.alternative
        }.joined()
    }
}
