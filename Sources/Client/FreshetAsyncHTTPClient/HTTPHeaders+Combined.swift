// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import NIOHTTP1

    extension HTTPHeaders {
        /// The fields with one value per case-insensitive name, combined as in RFC 9110 section 5.3.
        var combined: [String: String] {
            var names: [String: String] = [:]
            var fields: [String: String] = [:]
            for (name, value) in self {
                let known = names[name.lowercased()]
                if known == nil { names[name.lowercased()] = name }
                fields[known ?? name, default: ""] += known == nil ? value : ", \(value)"
            }
            return fields
        }
    }
#endif
