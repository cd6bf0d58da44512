// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Error {
    /// A one-line description of an error in JSON, with its place.
    var summary: String {
        guard let error = self as? DecodingError else { return "this is not JSON" }
        switch error {
        case .keyNotFound(let key, let context): return "\(context.place)\"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(context.place)\(context.debugDescription)"
        case .dataCorrupted(let context): return "\(context.place)\(context.debugDescription)"
        @unknown default: return "this cannot be read"
        }
    }
}

extension DecodingError.Context {
    fileprivate var place: String {
        codingPath.isEmpty ? "" : codingPath.map(\.stringValue).joined(separator: ".") + ": "
    }
}
