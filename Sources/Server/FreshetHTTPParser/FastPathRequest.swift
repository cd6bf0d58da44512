// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A complete request that the fast path accepts, as positions in the bytes that it was parsed from.
package struct FastPathRequest: Equatable, Sendable {
    /// A header field: ASCII letters, digits, `-` and `_` in its name, printable ASCII in its value.
    package struct Field: Equatable, Sendable {
        /// The name, if it is one that can change the response; these names are compared case-insensitively.
        package var name: FieldName
        package var nameRange: Range<Int>
        /// The position of the value, without leading spaces.
        package var valueRange: Range<Int>
    }

    /// The names of the header fields that can change the response to a request of the fast path.
    package enum FieldName: Sendable {
        case authorization, traceParent, requestID, forwardedFor
        /// Any other name.
        case other
    }

    /// The index of the endpoint in the list that the parser was given.
    package var endpoint: Int
    /// All header fields, in the order of their arrival.
    package var fields: [Field]
    /// The body, which ends where the parsed bytes end; empty if the endpoint takes none.
    package var body: Range<Int>
}
