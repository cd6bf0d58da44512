// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import Hummingbird

/// Renders errors as HTML, at the paths of pages.
package struct ErrorPage: Sendable {
    /// Whether a path belongs to the pages.
    var contains: @Sendable (_ path: String) -> Bool
    /// Renders an error as a page.
    var response:
        @Sendable (_ error: any Error, _ api: APIError, _ request: Request, _ context: ServerRequestContext) -> Response

    package init(
        contains: @escaping @Sendable (_ path: String) -> Bool,
        response:
            @escaping @Sendable (
                _ error: any Error, _ api: APIError, _ request: Request, _ context: ServerRequestContext
            )
            -> Response
    ) {
        self.contains = contains
        self.response = response
    }
}

/// An error of another module that clients receive as an `APIError`.
package protocol APIErrorConvertible: Error {
    var apiError: APIError { get }
}
