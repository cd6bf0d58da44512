// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser

/// The endpoints and limits that the server gives its parser.
enum NativeRequests {
    static let routes = [
        (method: "POST", path: "/v1/refresh", hasBody: true), (method: "POST", path: "/v1/confirm", hasBody: true),
        (method: "GET", path: "/v1/me", hasBody: false),
    ]
    static let maximumHeaderBytes = 16 * 1024
    static let maximumBodyBytes = 16 * 1024
    static let parser = FastPathRequestParser(
        endpoints: routes.map { FastPathEndpoint(method: $0.method, path: $0.path, hasBody: $0.hasBody) },
        maximumHeaderBytes: maximumHeaderBytes,
        maximumBodyBytes: maximumBodyBytes
    )
}
